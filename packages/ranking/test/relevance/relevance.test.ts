import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../../src/catalogue/catalogue.ts';
import { noPause } from '../../src/ranker.ts';
import { bm25 } from '../../src/rankers/bm25.ts';
import { findTools } from '../../src/search/find-tools.ts';
import { toDocument } from '../../src/tools/to-document.ts';
import { RELEVANCE_SETS } from './relevance-sets.ts';

describe.each(RELEVANCE_SETS)('in $title', ({ tools, queries }) => {
  const index = bm25.build(tools.map((tool) => toDocument(tool)));

  test.each(queries)('"$query" finds $gold: $why', async ({ query, gold, within = 1 }) => {
    const { hits } = await index.rank(query, { limit: within });
    const found = hits.map((hit) => tools[hit.position]?.name);
    expect(found).toContain(gold);
  });

  test('a query in another script than Latin has a certain match', async () => {
    const catalogue = buildCatalogue(tools);
    for (const { query } of queries.filter((one) => !/\p{Script=Latin}/u.test(one.query))) {
      const { certainty } = await findTools(
        catalogue,
        { pattern: query, searchType: 'auto', limit: 5 },
        noPause,
      );
      expect(certainty, query).toBe('found');
    }
  });

  test('every query asks for a tool of its set', () => {
    const names = tools.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(queries.map((query) => query.gold)));
  });
});
