import { describe, expect, it } from 'vitest';
import { type EmbedCall, type Embedder, EmbeddingError } from '../src/embedder.ts';
import { Meanings, type SearchMeaning } from '../src/meanings.ts';
import type { MeaningState } from '../src/vector-calls.ts';

const TEXTS = ['send mail', 'read mail', 'get weather'];

type Answer = (texts: readonly string[], call: EmbedCall) => Promise<readonly ArrayLike<unknown>[]>;

/** A direction of two dimensions by the length of the text. */
const vectorsOf: Answer = async (texts) => texts.map((text) => [text.length, 1]);

/** Meanings with a clock that stands until a test moves it; every wait lasts until then. */
function open(answer: Answer = vectorsOf, maxBytes = 2 ** 20) {
  const calls: { texts: readonly string[]; isUrgent: boolean }[] = [];
  const states: MeaningState[] = [];
  const waits: { until: number; end: () => void }[] = [];
  const deadlines: { until: number; controller: AbortController }[] = [];
  let now = 0;
  const world = { answer };
  const knows = { test: (_text: string) => true };
  const embedder: Embedder = {
    batchSize: 2,
    knows: (text) => knows.test(text),
    embed(texts, call) {
      calls.push({ texts, isUrgent: call.isUrgent });
      return world.answer(texts, call);
    },
    close: async () => {},
  };
  const meanings = new Meanings({
    embedder,
    maxBytes,
    budgetMs: 50,
    now: () => now,
    deadline(ms) {
      const controller = new AbortController();
      deadlines.push({ until: now + ms, controller });
      return controller.signal;
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
        waits.push({ until: now + ms, end: resolve });
      }),
    pause: async () => {},
    onChange: (state) => states.push(state),
  });
  const settle = async () => {
    for (let turn = 0; turn < 200; turn++) await Promise.resolve();
  };
  return {
    meanings,
    knows,
    calls,
    states,
    world,
    settle,
    async pass(ms: number) {
      await settle();
      now += ms;
      for (const { until, controller } of deadlines) if (until <= now) controller.abort();
      for (const { until, end } of waits) if (until <= now) end();
      await settle();
    },
    search: (texts: readonly string[] = TEXTS) =>
      meanings.search({ count: texts.length, textOf: (position) => texts[position], table: texts }),
  };
}

const hang: Answer = (_texts, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new EmbeddingError('slow'))));
const refuse = (code: 'unreachable' | 'unavailable' | 'refused'): Answer => {
  return async () => {
    throw new EmbeddingError(code);
  };
};

describe('the vectors of a search', () => {
  it('are computed once, the query first, in batches', async () => {
    const { search, calls } = open();
    const first = search();
    const vectors = await first.vectorsOf('mail', [0, 1, 2]);
    expect(vectors!.query).toEqual(Int8Array.of(127, 32));
    expect(vectors!.tools).toEqual([Int8Array.of(127, 14), Int8Array.of(127, 14), Int8Array.of(127, 12)]);
    expect([first.wasAsked, first.degraded]).toEqual([true, undefined]);
    await search().vectorsOf('mail', [2, 0]);
    expect(calls).toEqual([
      { texts: ['mail'], isUrgent: true },
      { texts: ['send mail', 'read mail'], isUrgent: true },
      { texts: ['get weather'], isUrgent: true },
    ]);
  });

  it('are never computed of texts whose script the model has not learnt, and nothing is degraded', async () => {
    const { search, calls, knows } = open();
    knows.test = (text) => !/邮/.test(text);
    const texts = ['send mail', '发送邮件'];
    const mixed = search(texts);
    const vectors = await mixed.vectorsOf('mail', [0, 1]);
    expect(vectors!.tools.map((vector) => vector !== undefined)).toEqual([true, false]);
    expect(await mixed.nearest!('mail', { most: 5, has: () => true })).toMatchObject([{ position: 0 }]);
    expect([mixed.wasAsked, mixed.degraded]).toEqual([true, undefined]);
    const foreign = search(texts);
    expect(await foreign.vectorsOf('邮件', [0, 1])).toBeUndefined();
    expect(await foreign.nearest!('邮件', { most: 5, has: () => true })).toBeUndefined();
    expect([foreign.wasAsked, foreign.degraded]).toEqual([false, undefined]);
    expect(calls.flatMap((call) => call.texts)).toEqual(['mail', 'send mail']);
  });

  it('include those of the sentences of a query for several things, computed once, too', async () => {
    const { search, calls } = open();
    const sentences = ['Book a room today.', 'Order some lunch menu!', 'Plan the longer route downtown.'];
    const query = sentences.join(' ');
    const { tools: _, ...vectors } = (await search().vectorsOf(query, [0]))!;
    expect(vectors.sentences).toHaveLength(3);
    expect(vectors.sentences).not.toContainEqual(vectors.query);
    expect(calls.map(({ texts }) => texts)).toEqual([
      [query],
      [sentences[0], sentences[1]],
      [sentences[2]],
      ['send mail'],
    ]);
    expect(await search().vectorsOf(query, [0])).toMatchObject(vectors);
    expect(calls).toHaveLength(4);
  });

  it('are those of the whole query if its sentences are late, and the search is degraded', async () => {
    const query = 'Book a room today. Order some lunch menu! Plan the longer route downtown.';
    const { search, world, pass } = open((texts, call) =>
      (texts[0] === query ? vectorsOf : hang)(texts, call),
    );
    const late = search();
    const coming = late.vectorsOf(query, []);
    await pass(50);
    const vectors = (await coming)!;
    expect(vectors.query).toBeDefined();
    expect(vectors.sentences).toBeUndefined();
    expect(late.degraded).toBe('deadline');
    await pass(30_000);
    world.answer = vectorsOf;
    const next = search();
    expect((await next.vectorsOf(query, []))!.sentences).toHaveLength(3);
    expect(next.degraded).toBeUndefined();
  });

  it('are shared between searches at the same time', async () => {
    const { search, calls } = open();
    await Promise.all([search().vectorsOf('mail', [0]), search().vectorsOf('mail', [0])]);
    expect(calls.map(({ texts }) => texts)).toEqual([['mail'], ['send mail']]);
  });

  it('are learnt in the background, each catalogue and each text once', async () => {
    const { meanings, search, calls, settle } = open();
    const texts = [...TEXTS, undefined, 'send mail', 'book a room'];
    const catalogue = {};
    const learn = (of: object) =>
      meanings.learn(of, { count: texts.length, textOf: (at) => texts[at], table: texts });
    learn(catalogue);
    learn(catalogue);
    await settle();
    learn({});
    await settle();
    expect(calls).toEqual([
      { texts: ['send mail', 'read mail'], isUrgent: false },
      { texts: ['get weather', 'book a room'], isUrgent: false },
    ]);
    await search().vectorsOf('mail', [0, 1, 2]);
    expect(calls.slice(2)).toEqual([{ texts: ['mail'], isUrgent: true }]);
  });

  it('are kept in bounded memory, the most recently used ones', async () => {
    const { meanings, search } = open(vectorsOf, 1_000);
    const texts = Array.from({ length: 50 }, (_, at) => `tool ${at}`);
    await search(texts).vectorsOf('mail', [...texts.keys()]);
    expect(meanings.bytes).toBeLessThanOrEqual(1_000);
    expect(meanings.size).toBeGreaterThan(0);
  });
});

describe('the nearest tools', () => {
  const nearest = (source: SearchMeaning, most = 2) =>
    source.nearest!('mail', { most, has: (position) => position !== 1 });

  it('are found among the known vectors, and unknown ones make the search degraded', async () => {
    const { search, meanings, settle } = open();
    const early = search();
    expect(await nearest(early)).toEqual([]);
    expect([early.wasAsked, early.degraded]).toEqual([true, 'missing_vectors']);
    meanings.learn({}, { count: TEXTS.length, textOf: (at) => TEXTS[at], table: TEXTS });
    await settle();
    const late = search();
    const found = (await nearest(late))!;
    expect(found.map(({ position }) => position)).toEqual([0, 2]);
    expect(found[0]!.cosine).toBeGreaterThan(found[1]!.cosine);
    expect(late.degraded).toBeUndefined();
    expect(await nearest(search(), 1)).toEqual(found.slice(0, 1));
  });

  it('are found in grown catalogues, and in tables of bounded memory', async () => {
    const { meanings, settle } = open(vectorsOf, 4_000);
    const table = {};
    const look = async (texts: readonly string[], of: object = table) => {
      const parts = { count: texts.length, textOf: (at: number) => texts[at], table: of };
      meanings.learn({}, parts);
      await settle();
      await meanings.search(parts).vectorsOf('mail', []);
      return nearest(meanings.search(parts), 9);
    };
    expect(await look(TEXTS)).toHaveLength(2);
    const before = meanings.bytes;
    expect(await look([...TEXTS, 'book a room'])).toHaveLength(3);
    expect(meanings.bytes).toBeGreaterThan(before);
    // A table takes ten bytes a tool here, and a quarter of the memory is for tables.
    for (let catalogue = 0; catalogue < 40; catalogue++) expect(await look(TEXTS, {})).toHaveLength(2);
    expect(meanings.bytes).toBeLessThanOrEqual(4_000);
  });

  it('are not searched above the limit of numbers, which does not degrade the search', async () => {
    const { search } = open();
    const [source, within] = [search(), search()];
    const look = { most: 2, has: () => true };
    expect(await source.nearest!('mail', { ...look, within: 2 * TEXTS.length - 1 })).toEqual([]);
    expect([source.wasAsked, source.degraded]).toEqual([true, undefined]);
    await within.nearest!('mail', { ...look, within: 2 * TEXTS.length });
    expect(within.degraded).toBe('missing_vectors');
  });

  it('are complete without texts that the embedder refuses, unless it refuses everything', async () => {
    const { meanings, search, world, pass } = open();
    world.answer = (texts, call) =>
      texts.includes('read mail') ? refuse('refused')(texts, call) : vectorsOf(texts, call);
    meanings.learn({}, { count: TEXTS.length, textOf: (at) => TEXTS[at], table: TEXTS });
    await pass(5_000);
    const source = search();
    expect(
      (await source.nearest!('mail', { most: 2, has: () => true }))!.map(({ position }) => position),
    ).toEqual([2]);
    expect(source.degraded).toBeUndefined();
    world.answer = refuse('refused');
    const more = Array.from({ length: 6 }, (_, at) => `tool ${at}`);
    meanings.learn({}, { count: more.length, textOf: (at) => more[at], table: more });
    for (let time = 0; time < 3; time++) await pass(5_000);
    const lacking = search(more);
    await lacking.nearest!('mail', { most: 2, has: () => true });
    expect(lacking.degraded).toBe('failed');
  });

  it('are measured again when another model is there', async () => {
    const { meanings, search, world, settle, pass } = open();
    const learn = () => meanings.learn({}, { count: TEXTS.length, textOf: (at) => TEXTS[at], table: TEXTS });
    learn();
    await settle();
    await nearest(search());
    world.answer = async (texts) => texts.map((text) => [text.length, 1, 100]);
    for (const query of ['a', 'b', 'c']) await search().vectorsOf(query, []);
    await pass(5_000);
    learn();
    await settle();
    const found = (await nearest(search()))!;
    expect(found.map(({ position }) => position)).toEqual([0, 2]);
    for (const { cosine } of found) expect(cosine).toBeGreaterThan(0.99);
  });

  it('and the vectors of a search are waited for once', async () => {
    const { search, world, pass } = open();
    world.answer = hang;
    const source = search();
    const first = nearest(source);
    await pass(50);
    expect(await first).toBeUndefined();
    // No time passes, so a second wait would never end.
    expect(await source.vectorsOf('mail', [0])).toBeUndefined();
  });

  it('are not searched among more than 20,000', async () => {
    const { search } = open();
    const texts = Array.from({ length: 20_001 }, () => 'x');
    const source = search(texts);
    expect(await nearest(source)).toBeUndefined();
    expect(source.degraded).toBe('too_many_tools');
  });
});

describe('a search goes by keywords', () => {
  it('when the query has no vector within the budget, and has it the next time', async () => {
    const { search, world, pass, settle } = open();
    let answer = (): void => {};
    world.answer = (texts, call) =>
      new Promise((resolve) => {
        answer = () => resolve(vectorsOf(texts, call));
      });
    const slow = search();
    const vectors = slow.vectorsOf('mail', []);
    await pass(49);
    let isSettled = false;
    void vectors.then(() => {
      isSettled = true;
    });
    await settle();
    expect(isSettled).toBe(false);
    await pass(1);
    expect(await vectors).toBeUndefined();
    expect(slow.degraded).toBe('deadline');
    answer();
    await settle();
    expect(await search().vectorsOf('mail', [])).toBeDefined();
  });

  it('for tools whose vectors do not arrive within 10 ms more', async () => {
    const { search, world, pass } = open();
    world.answer = (texts, call) => (texts.includes('mail') ? vectorsOf(texts, call) : hang(texts, call));
    const half = search();
    const vectors = half.vectorsOf('mail', [0]);
    await pass(10);
    expect(await vectors).toEqual({ query: Int8Array.of(127, 32), sentences: [], tools: [undefined] });
    expect(half.degraded).toBe('missing_vectors');
  });

  it.each([
    ['dead', refuse('unreachable'), 'unreachable'],
    ['broken', refuse('unavailable'), 'unavailable'],
    ['of another mind', refuse('refused'), 'refused'],
    ['throwing what it must not', (() => Promise.reject(new TypeError('x'))) as Answer, 'model_lost'],
    ['short of vectors', (async () => []) as Answer, 'invalid_response'],
    ['telling no numbers', (async () => [[Number.NaN, 1]]) as Answer, 'invalid_response'],
    ['telling nothing', (async () => [[0, 0]]) as Answer, 'invalid_response'],
  ])(
    'when the embedder is %s: said once, left alone, tried again, and back by itself',
    async (_, answer, reason) => {
      const { search, world, calls, states, pass, meanings } = open(answer);
      for (let time = 0; time < 10; time++)
        expect(await search().vectorsOf(`mail ${time}`, [])).toBeUndefined();
      expect(calls).toHaveLength(3);
      expect(states).toMatchObject([{ kind: 'failing', reason }]);
      expect(meanings.isFailing).toBe(true);
      await pass(5_000);
      await search().vectorsOf('mail', []);
      await search().vectorsOf('mail', []);
      expect(calls).toHaveLength(4);
      world.answer = vectorsOf;
      await pass(5_000);
      expect(await search().vectorsOf('mail', [])).toBeDefined();
      expect(states.map(({ kind }) => kind)).toEqual(['failing', 'working']);
    },
  );

  it('when vectors suddenly have other dimensions, until these are the ones that stay', async () => {
    const { search, world, states, pass } = open();
    await search().vectorsOf('before', []);
    world.answer = async (texts) => texts.map(() => [1, 2, 3]);
    for (const query of ['a', 'b', 'c']) expect(await search().vectorsOf(query, [])).toBeUndefined();
    expect(states).toMatchObject([{ kind: 'failing', reason: 'invalid_response' }]);
    await pass(5_000);
    expect((await search().vectorsOf('a', []))!.query).toHaveLength(3);
    expect(states.at(-1)!.kind).toBe('working');
  });

  it('when the embedder hangs: few wait for it, none longer than the budget, and none when it has failed', async () => {
    const { search, world, calls, states, pass } = open(hang);
    const many = Array.from({ length: 40 }, (_, at) => search().vectorsOf(`mail ${at}`, []));
    await pass(50);
    expect(await Promise.all(many)).toEqual(many.map(() => undefined));
    expect(calls).toHaveLength(16);
    await pass(10_000);
    expect(await search().vectorsOf('later', [])).toBeUndefined();
    expect(states).toMatchObject([{ kind: 'failing', reason: 'slow' }]);
    world.answer = vectorsOf;
    await pass(5_000);
    expect(await search().vectorsOf('later', [])).toBeDefined();
    expect(states.map(({ kind }) => kind)).toEqual(['failing', 'working']);
  });
});

it('resumes learning when the embedder is back', async () => {
  const { meanings, search, world, states, pass } = open(refuse('unreachable'));
  meanings.learn({}, { count: TEXTS.length, textOf: (at) => TEXTS[at], table: TEXTS });
  for (let time = 0; time < 20; time++) await pass(5_000);
  expect(meanings.size).toBe(0);
  world.answer = vectorsOf;
  for (let time = 0; time < 3; time++) await pass(5_000);
  expect(meanings.size).toBe(TEXTS.length);
  expect(states.map(({ kind }) => kind)).toEqual(['failing', 'working']);
  expect((await search().vectorsOf('mail', [0]))!.tools).not.toContain(undefined);
});

describe('meaning comes back', () => {
  const texts = { count: TEXTS.length, textOf: (at: number) => TEXTS[at], table: TEXTS };
  const otherVectors: Answer = async (some) => some.map((text) => [text.length, 1, 100]);
  const look = async (source: SearchMeaning) => {
    await source.nearest!('mail', { most: 3, has: () => true });
    return source.degraded;
  };

  it('with all known vectors after unusable responses', async () => {
    const { meanings, search, world, calls, settle, pass } = open();
    meanings.learn({}, texts);
    await settle();
    world.answer = async (some) => some.map(() => [Number.NaN, 1]);
    for (const query of ['a', 'b', 'c', 'd']) await search().vectorsOf(query, []);
    world.answer = vectorsOf;
    await pass(5_000);
    calls.length = 0;
    expect(await look(search())).toBeUndefined();
    expect(calls.map((call) => call.texts)).toEqual([['mail']]);
  });

  it('after vectors of other dimensions, by learning what is searched again', async () => {
    const { meanings, search, world, settle, pass } = open();
    const catalogue = {};
    meanings.learn(catalogue, texts);
    await settle();
    for (const answer of [otherVectors, vectorsOf]) {
      world.answer = answer;
      for (const query of ['a', 'b', 'c']) await search().vectorsOf(`${query} ${answer.name}`, []);
      await pass(5_000);
      expect(await look(search())).toBe('missing_vectors');
      await pass(5_000);
      expect(await look(search())).toBeUndefined();
    }
  });

  it('for texts that were learnt before vectors of other dimensions came', async () => {
    const { meanings, world, settle, pass } = open();
    let answered = 0;
    world.answer = (some, call) => (answered++ === 0 ? vectorsOf : otherVectors)(some, call);
    meanings.learn({}, texts);
    await settle();
    for (let time = 0; time < 6; time++) await pass(5_000);
    expect(meanings.size).toBe(TEXTS.length);
  });

  it('for an endpoint that is too slow for whole batches', async () => {
    const { meanings, world, pass } = open();
    world.answer = (some, call) => (some.length > 1 ? hang : vectorsOf)(some, call);
    const more = Array.from({ length: 6 }, (_, at) => `tool ${at}`);
    meanings.learn({}, { count: more.length, textOf: (at) => more[at], table: more });
    for (let time = 0; time < 40; time++) await pass(5_000);
    expect(meanings.size).toBe(more.length);
  });
});

it('skips texts that the embedder refuses', async () => {
  const { meanings, world, pass } = open();
  world.answer = (texts, call) =>
    texts.includes('read mail') ? refuse('refused')(texts, call) : vectorsOf(texts, call);
  meanings.learn({}, { count: TEXTS.length, textOf: (at) => TEXTS[at], table: TEXTS });
  await pass(5_000);
  expect(meanings.size).toBe(1);
});
