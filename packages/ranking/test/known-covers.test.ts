import { describe, expect, test } from 'vitest';
import { buildCatalogueOf, type Catalogue, LiveCatalogue } from '../src/catalogue/catalogue.ts';
import { noPause } from '../src/ranker.ts';
import { findTools } from '../src/search/find-tools.ts';
import type { ToolDocument } from '../src/tools/tool-document.ts';

const THINGS = 'invoice mail folder customer repository ticket forecast payment calendar meeting'.split(' ');
const VERBS = 'create delete list archive export'.split(' ');

/** Documents of many words, each of which few documents have. */
const document = (n: number): ToolDocument => ({
  name: `${VERBS[n % 5]}_${THINGS[n % 10]}_${String.fromCharCode(97 + (n % 26)).repeat(4)}`,
  description: `${VERBS[(n + 1) % 5]} the ${THINGS[(n * 3) % 10]} of area ${String.fromCharCode(97 + (n % 23)).repeat(5)}.`,
  parameters: [],
});
const keyOf = (n: number) => `k${String(n).padStart(4, '0')}`;
const QUERIES = ['create invoice', 'delete the mail aaaa', 'archive calendar', 'bbbbb customer'];

async function found(catalogue: Catalogue, keyAt: (position: number) => string) {
  const results = [];
  for (const pattern of QUERIES) {
    const { hits } = await findTools(catalogue, { pattern, searchType: 'keyword', limit: 1_000 }, noPause);
    results.push(hits.map(({ position, score }) => [keyAt(position), score]));
  }
  return results;
}

describe('what is known of covered names', () => {
  const count = 400;

  test.each([
    [
      'a document that has another text',
      (live: Map<string, ToolDocument>) => live.set(keyOf(7), document(11)),
    ],
    ['a document more', (live: Map<string, ToolDocument>) => live.set(keyOf(count), document(3))],
    ['a document less', (live: Map<string, ToolDocument>) => live.delete(keyOf(217))],
    [
      'many documents that have other texts',
      (live: Map<string, ToolDocument>) => {
        for (let n = 0; n < 60; n++) live.set(keyOf(n), document(n + 5));
      },
    ],
  ])('follows %s, so that scores stay those of an index that is built anew', async (_, change) => {
    const documents = new Map(Array.from({ length: count }, (_, n) => [keyOf(n), document(n)]));
    const live = new LiveCatalogue();
    live.apply([...documents].map(([key, document]) => ({ key, document })));
    const first = live.snapshot();
    const before = await found(first.catalogue, first.keyAt);
    for (let round = 0; round < 2; round++) {
      const known = new Map(documents);
      if (round === 1) documents.set(keyOf(count - 1), document(42));
      else change(documents);
      const keys = new Set([...known.keys(), ...documents.keys()]);
      live.apply(
        [...keys]
          .filter((key) => known.get(key) !== documents.get(key))
          .map((key) => ({ key, document: documents.get(key) })),
      );
      const { catalogue, keyAt } = live.snapshot();
      const sorted = [...documents].sort(([left], [right]) => (left < right ? -1 : 1));
      const anew = buildCatalogueOf(sorted.map(([, document]) => document));
      const afterwards = await found(catalogue, keyAt);
      expect(afterwards).toEqual(await found(anew, (position) => sorted[position]![0]));
      // Once more, out of what is known now.
      expect(await found(catalogue, keyAt)).toEqual(afterwards);
    }
    // Earlier states stay unchanged.
    expect(await found(first.catalogue, first.keyAt)).toEqual(before);
  });
});
