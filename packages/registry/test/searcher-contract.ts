import { createRandom } from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { compileFilter, SEES_ALL } from '../src/content/tool-filter.ts';
import type { Searcher } from '../src/index.ts';
import type { StoredTool } from '../src/model/tool.ts';
import { createStoredTool } from '../src/model/tool.ts';
import type { SearcherQuery } from '../src/search/searcher.ts';
import { storedTools } from './stored-tools.ts';

const NO_SIGNAL = new AbortController().signal;

const QUERY = { searchType: 'auto', filter: {}, filterKey: '', limit: 10, alsoIds: [] } as const;

/** The behaviour of every searcher. `make` gives an empty one. */
export function describeSearcher(name: string, make: () => Searcher): void {
  const tools = storedTools(120, 25);
  const filled = (order: readonly StoredTool[] = tools) => {
    const searcher = make();
    searcher.apply({ upserts: order, removals: [] });
    return searcher;
  };
  const find = (searcher: Searcher, text: string, options: Partial<SearcherQuery> = {}) =>
    searcher.search({ ...QUERY, text, ...options }, NO_SIGNAL);
  const queries = [
    'create an invoice',
    'delete',
    'list all users of the project',
    'get_*',
    '^(get|list)_',
    tools[7]!.id,
  ];

  describe(`the searcher ${name}`, () => {
    test('R25: finds the same whatever the order in which tools came, and however often they changed', async () => {
      const random = createRandom(25);
      const expected = await Promise.all(queries.map((query) => find(filled(), query)));
      for (let round = 0; round < (inject('isExhaustive') ? 4 : 2); round++) {
        const searcher = make();
        // First as something else, and some that go again.
        const gone = storedTools(30, 26 + round).filter(
          (tool) => !tools.some((other) => other.id === tool.id),
        );
        searcher.apply({ upserts: gone, removals: [] });
        for (const tool of random.sample(tools, tools.length)) {
          if (random.chance(0.3)) {
            const before = createStoredTool({
              ...tool,
              tool: { name: tool.name, inputSchema: {}, description: 'Before' },
            });
            searcher.apply({ upserts: [before], removals: [] });
          }
          if (random.chance(0.1)) await find(searcher, 'anything');
          searcher.apply({ upserts: [tool], removals: [] });
        }
        searcher.apply({ upserts: [], removals: gone.map((tool) => tool.id) });
        expect(await Promise.all(queries.map((query) => find(searcher, query)))).toEqual(expected);
      }
    });

    test('R19: equal scores are in order of id', async () => {
      const searcher = make();
      const same = ['b:x', 'a:x', 'x', 'c:x'].map((id) =>
        createStoredTool({
          namespace: id.includes(':') ? id.split(':')[0]! : '',
          tool: { name: 'x', description: 'Send a letter', inputSchema: {} },
          tags: [],
          version: undefined,
          backends: [{ kind: 'local', handler: 'x' }],
          examples: [],
        }),
      );
      searcher.apply({ upserts: same, removals: [] });
      const { hits } = await find(searcher, 'letter');
      const byScore = Object.groupBy(hits, (hit) => String(hit.score));
      for (const group of Object.values(byScore)) {
        const ids = group!.map((hit) => hit.id);
        expect(ids).toEqual(ids.toSorted());
      }
      expect(hits.length).toBe(4);
    });

    test('R18: tools that the text names come first, in its order', async () => {
      const searcher = filled();
      const named = [tools[50]!, tools[3]!, tools[10]!];
      const [first, second, third] = named;
      const server = second!.backends[0]!.kind === 'mcp' ? second!.backends[0]!.server : '';
      const text = `use ${first!.id} or ${server}__${second!.name}, then ${third!.id} to create an invoice`;
      const { hits } = await find(searcher, text);
      expect(hits.slice(0, 3).map((hit) => hit.id)).toEqual(named.map((tool) => tool.id));
      for (const hit of hits.slice(0, 3)) expect(hit.matchedOn).toContain('exact_name');
    });

    test('R23: what is not allowed is neither ranked nor counted, and takes no place', async () => {
      const searcher = filled();
      for (const [filterKey, filter] of [
        ['one', { namespaces: ['one'] }],
        ['tag', { tags: ['t2'] }],
        ['none', { namespaces: [] }],
      ] as const) {
        const allows = compileFilter(filter, SEES_ALL)!;
        for (const text of queries) {
          const all = await find(searcher, text, { limit: 1_000 });
          const few = await find(searcher, text, { limit: 5, filter, filterKey, allows });
          const byId = new Map(tools.map((tool) => [tool.id, tool]));
          expect(few.hits.every((hit) => allows(byId.get(hit.id)!))).toBe(true);
          // Where the text is read in the same way, the same tools stand in the same order as without the filter.
          if (few.searchType !== all.searchType || few.totalMatches === 0) continue;
          const allowed = all.hits.filter((hit) => allows(byId.get(hit.id)!)).map((hit) => hit.id);
          // What no allowed tool has may then be read more loosely.
          if (allowed.length === 0) continue;
          expect(few.totalMatches).toBe(allowed.length);
          expect(few.hits.map((hit) => hit.id)).toEqual(allowed.slice(0, 5));
        }
      }
    });

    test('says whether a tool for the query is among the matches, and which words no tool contains', async () => {
      const searcher = filled();
      const certaintyOf = async (text: string) => {
        const { certainty, unknownWords } = await find(searcher, text);
        return { certainty, unknownWords };
      };
      const nothing = { certainty: 'none', unknownWords: ['qqqqqq', 'zzzzzz'] };
      expect(await certaintyOf('qqqqqq zzzzzz')).toEqual(nothing);
      expect(await certaintyOf(tools[7]!.id)).toEqual({ certainty: 'found', unknownWords: [] });
      expect(await certaintyOf(`${tools[7]!.name.slice(0, 6)}*`)).toEqual({
        certainty: 'found',
        unknownWords: [],
      });
      const { hits } = await find(searcher, 'create an invoice');
      for (const { confidence } of hits) expect(confidence).toBeGreaterThan(0);
    });

    test('gives what is wanted beyond the limit, if it matches', async () => {
      const searcher = filled();
      const { hits } = await find(searcher, 'create', { limit: 1_000 });
      expect(hits.length).toBeGreaterThan(3);
      const last = hits.at(-1)!.id;
      const some = await find(searcher, 'create', { limit: 2, alsoIds: [last, 'no:such'] });
      expect(some.hits.map((hit) => hit.id)).toEqual([hits[0]!.id, hits[1]!.id, last]);
    });

    test('a search sees the changes that came before it and none that come after', async () => {
      const searcher = filled();
      const found = find(searcher, tools[0]!.id);
      searcher.apply({ upserts: [], removals: [tools[0]!.id] });
      expect((await found).hits[0]?.id).toBe(tools[0]!.id);
      expect((await find(searcher, tools[0]!.id)).hits.map((hit) => hit.id)).not.toContain(tools[0]!.id);
    });
  });
}
