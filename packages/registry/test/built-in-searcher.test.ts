import { bm25, type Ranker } from '@winnow/ranking';
import { describe, expect, test } from 'vitest';
import { BuiltInSearcher } from '../src/search/built-in-searcher.ts';
import { storedTools } from './stored-tools.ts';

/** Pauses that last until they are told to end. */
class HeldPauses {
  #end = () => {};

  readonly pause = () =>
    new Promise<void>((resolve) => {
      this.#end = resolve;
    });

  /** Ends the pause that lasts, and lets happen what follows from it. */
  async end(): Promise<void> {
    this.#end();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
}

/** The ranker, with how many documents each of its indexes has read. */
function watched(): { ranker: Ranker; readings: number[] } {
  const readings: number[] = [];
  const watch = (index: ReturnType<Ranker['build']>): ReturnType<Ranker['build']> => ({
    get size() {
      return index.size;
    },
    get bytes() {
      return index.bytes;
    },
    get absent() {
      return index.absent;
    },
    rank: (query, options) => index.rank(query, options),
    ...(index.judge && { judge: index.judge.bind(index) }),
    get revisions() {
      return {
        nextPosition: index.revisions!.nextPosition,
        revise: (change) => {
          readings.push(change.added.length + change.removed.length);
          return watch(index.revisions!.revise(change));
        },
        compact: (order) => watch(index.revisions!.compact(order)),
      } satisfies ReturnType<Ranker['build']>['revisions'];
    },
  });
  const ranker: Ranker = {
    ...bm25,
    build(documents) {
      if (documents.length > 0) readings.push(documents.length);
      return watch(bm25.build(documents));
    },
  };
  return { ranker, readings };
}

const QUERY = {
  text: 'list',
  searchType: 'auto',
  filter: {},
  filterKey: '',
  limit: 500,
  alsoIds: [],
} as const;

describe('what was applied', () => {
  test('is indexed in slices, each in a turn of its own, and a search finds it done', async () => {
    const { ranker, readings } = watched();
    const pauses = new HeldPauses();
    const searcher = new BuiltInSearcher(pauses.pause, { ranker });
    searcher.apply({ upserts: storedTools(350, 31), removals: [] });
    expect(readings).toEqual([]);
    await pauses.end();
    expect(readings).toEqual([100]);
    for (let turn = 0; turn < 3; turn++) await pauses.end();
    expect(readings).toEqual([100, 100, 100, 50]);
    await searcher.search(QUERY);
    expect(readings).toEqual([100, 100, 100, 50]);
  });

  test('is found whole by a search in the middle, which indexes the rest', async () => {
    const { ranker, readings } = watched();
    const pauses = new HeldPauses();
    const searcher = new BuiltInSearcher(pauses.pause, { ranker });
    const tools = storedTools(350, 31);
    searcher.apply({ upserts: tools, removals: [] });
    await pauses.end();
    const found = await searcher.search(QUERY);
    expect(readings).toEqual([100, 250]);
    const atOnce = new BuiltInSearcher(() => new Promise(() => {}));
    atOnce.apply({ upserts: tools, removals: [] });
    expect(found).toEqual(await atOnce.search(QUERY));
    await pauses.end();
    expect(readings).toEqual([100, 250]);
  });

  test('is indexed again with all others where a search needs it and most of them are new', async () => {
    const { ranker, readings } = watched();
    const pauses = new HeldPauses();
    const searcher = new BuiltInSearcher(pauses.pause, { ranker });
    const tools = storedTools(1_300, 33);
    searcher.apply({ upserts: tools.slice(0, 1_200), removals: [] });
    await pauses.end();
    expect(readings).toEqual([100]);
    searcher.apply({ upserts: tools.slice(1_200), removals: [tools[5]!.id] });
    const found = await searcher.search(QUERY);
    expect(readings).toEqual([100, 1_299]);
    const atOnce = new BuiltInSearcher(() => new Promise(() => {}));
    atOnce.apply({ upserts: tools.filter((_, n) => n !== 5), removals: [] });
    expect(found).toEqual(await atOnce.search(QUERY));
    expect(found.totalMatches).toBeGreaterThan(0);
    await pauses.end();
    expect(readings).toEqual([100, 1_299]);
  });

  test('is indexed in slices before a search, where there is much of it', async () => {
    const { ranker, readings } = watched();
    const pauses = new HeldPauses();
    const searcher = new BuiltInSearcher(pauses.pause, { ranker, mostAtOnce: 1_200 });
    searcher.apply({ upserts: storedTools(1_300, 33), removals: [] });
    let isReady = false;
    const ready = searcher.prepare().then(() => {
      isReady = true;
    });
    expect(readings).toEqual([100]);
    await pauses.end();
    expect(isReady).toBe(false);
    for (let turn = 0; turn < 12; turn++) await pauses.end();
    await ready;
    expect(Math.max(...readings.slice(0, 3))).toBe(100);
    expect((await searcher.search(QUERY)).totalMatches).toBeGreaterThan(0);
  });

  test('and removed again before its turn is not found', async () => {
    const pauses = new HeldPauses();
    const searcher = new BuiltInSearcher(pauses.pause);
    const [first, ...rest] = storedTools(20, 32);
    searcher.apply({ upserts: [first!, ...rest], removals: [] });
    searcher.apply({ upserts: [], removals: [first!.id] });
    await pauses.end();
    const { hits } = await searcher.search({ ...QUERY, text: first!.name });
    expect(hits.map(({ id }) => id)).not.toContain(first!.id);
  });
});

describe('what was read ahead', () => {
  test('is found when it is applied, and as it is then', async () => {
    const [plain, ahead] = [0, 1].map(() => new BuiltInSearcher(() => new Promise(() => {})));
    const tools = storedTools(60, 34);
    const changed = { ...tools[3]!, name: 'quokka', definition: '{"name":"quokka","inputSchema":{}}' };
    const come = [...tools.slice(0, 3), changed, ...tools.slice(4, 50)];
    ahead!.readAhead(tools);
    expect((await ahead!.search(QUERY)).totalMatches).toBe(0);
    for (const searcher of [plain!, ahead!]) searcher.apply({ upserts: come, removals: [] });
    for (const text of ['list', 'quokka', tools[3]!.name, tools[55]!.name])
      expect(await ahead!.search({ ...QUERY, text })).toEqual(await plain!.search({ ...QUERY, text }));
    expect((await ahead!.search({ ...QUERY, text: 'quokka' })).hits).toHaveLength(1);
  });

  test('is not read again', () => {
    const searcher = new BuiltInSearcher(() => new Promise(() => {}));
    const [tool] = storedTools(1, 35);
    let readings = 0;
    const counted = {
      ...tool!,
      get definition() {
        readings++;
        return tool!.definition;
      },
    };
    searcher.readAhead([counted]);
    searcher.apply({ upserts: [counted], removals: [] });
    searcher.prepare();
    expect(readings).toBe(1);
  });
});
