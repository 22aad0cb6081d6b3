import { describe, expect, it } from 'vitest';
import { RedisVectors, type VectorLinkListener, type VectorStoreState } from '../src/redis-vectors.ts';
import { keyOf } from '../src/vector-cache.ts';
import { toVectorText, type VectorEntry } from '../src/vector-text.ts';

type Command = readonly (string | number)[];
type Answer = (command: Command) => unknown;

const entry = (text: string, ...more: number[]): VectorEntry => [keyOf(text), Int8Array.of(127, -3, ...more)];
const settle = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

/** Vectors over a server that is a map, until a test has it answer something else, or nothing. */
async function open(model = 'a model') {
  const stored = new Map<string, string>();
  const batches: Command[][] = [];
  const states: VectorStoreState[] = [];
  const deadlines: AbortController[] = [];
  let now = 0;
  let listener!: VectorLinkListener;
  const wellBehaved: Answer = ([name, key, ...values]) => {
    if (name === 'getrange') return (stored.get(String(key)) ?? '').slice(0, Number(values[1]) + 1);
    if (name === 'set') stored.set(String(key), String(values[0]));
    return 'OK';
  };
  const world: { answer: Answer; isSilent: boolean; isReady: boolean } = {
    answer: wellBehaved,
    isSilent: false,
    isReady: true,
  };
  const vectors = new RedisVectors({
    model: Promise.resolve(model),
    now: () => now,
    deadline() {
      const controller = new AbortController();
      deadlines.push(controller);
      return controller.signal;
    },
    onChange: (state) => states.push(state),
    async connect(told) {
      listener = told;
      return {
        get isReady() {
          return world.isReady;
        },
        run(commands) {
          batches.push(commands.map((command) => [...command]));
          if (world.isSilent) return new Promise(() => {});
          const replies = commands.map((command) => {
            const value = world.answer(command);
            return value instanceof Error
              ? ({ ok: false, error: value } as const)
              : ({ ok: true, value } as const);
          });
          return Promise.resolve(replies);
        },
        close() {},
      };
    },
  });
  await settle();
  return {
    ...{ vectors, stored, batches, states, world, listener },
    /** Finds, and lets every deadline pass that is waited for. */
    async find(...texts: string[]) {
      const finding = vectors.find(texts.map(keyOf));
      await settle();
      for (const deadline of deadlines.splice(0)) deadline.abort();
      return finding;
    },
    pass(ms: number) {
      now += ms;
    },
  };
}

describe('vectors in Redis', () => {
  it('come back to everybody with the same model, and are kept for 30 days from then on', async () => {
    const { vectors, find, stored, batches } = await open();
    vectors.keep([entry('a'), entry('b', 5)]);
    expect(await find('b', 'c', 'a')).toEqual([entry('b', 5)[1], undefined, entry('a')[1]]);
    const month = 30 * 24 * 3_600_000;
    expect(batches[0]!.map(([name, , , ...more]) => [name, ...more])).toEqual([
      ['set', 'PX', month],
      ['set', 'PX', month],
    ]);
    expect(batches[2]!.map(([name, key, ms]) => [name, stored.has(String(key)), ms])).toEqual([
      ['pexpire', true, month],
      ['pexpire', true, month],
    ]);
    for (const key of stored.keys()) expect(key).toMatch(/^winnow:vectors:1:\{[0-9a-f]{32}\}:\d{1,6}$/);
    const other = await open('another model');
    other.vectors.keep([entry('a')]);
    expect([...other.stored.keys()].filter((key) => stored.has(key))).toEqual([]);
  });

  it('take no more than 131,072 places, and the last text has the place', async () => {
    const { vectors, find, stored } = await open();
    const [one, other] = ['00020001', '00000001'].map((start) => start + '0'.repeat(24));
    vectors.keep([[one!, Int8Array.of(127)]]);
    vectors.keep([[other!, Int8Array.of(1, 127)]]);
    expect([...stored.keys()].map((key) => key.split(':').at(-1))).toEqual(['1']);
    expect(await vectors.find([one!, other!])).toEqual([undefined, Int8Array.of(1, 127)]);
    expect(await find('a')).toEqual([undefined]);
  });

  it.each([
    ['nothing', ''],
    ['the vector of another text', toVectorText(entry('other'))],
    ['no vector', `${keyOf('a')} ???`],
    ['a vector of zeros', `${keyOf('a')} ${Buffer.from([0, 0]).toString('base64')}`],
    ['one that no model gives', `${keyOf('a')} ${Buffer.from([128, 127]).toString('base64')}`],
    ['one that is too long', `${keyOf('a')} ${Buffer.alloc(9_000, 127).toString('base64')}`],
    ['a number', 7],
    ['a list', Object.assign(new Error('WRONGTYPE Operation against a key'))],
  ])('are none where there is %s, which is no failure', async (_, value) => {
    const { find, world, states } = await open();
    world.answer = () => value;
    expect(await find('a')).toEqual([undefined]);
    expect(states).toEqual([]);
  });

  it('are asked for in part only, however long a value is', async () => {
    const { find, batches } = await open();
    await find('a');
    expect(batches[0]![0]!.slice(2)).toEqual([0, 10_957]);
  });

  it('delay no search: after three timeouts the Redis is not called for five seconds', async () => {
    const { vectors, find, world, batches, states, pass } = await open();
    world.isSilent = true;
    for (let time = 0; time < 5; time++) expect(await find('a')).toEqual([undefined]);
    vectors.keep([entry('a')]);
    expect(batches.length).toBe(3);
    expect(states).toEqual([{ kind: 'away', problem: 'TIMEOUT' }]);
    world.isSilent = false;
    pass(5_000);
    await find('a');
    expect(states.map(({ kind }) => kind)).toEqual(['away', 'back']);
    vectors.keep([entry('a')]);
    expect(await find('a')).toEqual([entry('a')[1]]);
  });

  it('say what is wrong, once, and that it is over when all of it is', async () => {
    const { vectors, find, world, states, listener } = await open();
    const well = world.answer;
    listener.onLost(new Error('gone'));
    listener.onLost(new Error('gone'));
    expect(states).toEqual([{ kind: 'away', problem: 'UNREACHABLE' }]);
    world.answer = (command) => (command[0] === 'set' ? new Error('OOM command not allowed') : well(command));
    vectors.keep([entry('a')]);
    await settle();
    listener.onReady();
    await find('a');
    expect(states.length).toBe(1);
    world.answer = well;
    vectors.keep([entry('a')]);
    await settle();
    expect(states.map(({ kind }) => kind)).toEqual(['away', 'back']);
    world.answer = () => new Error('NOPERM no');
    await find('a');
    expect(states.at(-1)).toEqual({ kind: 'away', problem: 'NOPERM' });
  });

  it('wait for a connection, at most a thousand of them, without any calls', async () => {
    const { vectors, find, world, batches, listener, stored } = await open();
    world.isReady = false;
    for (let at = 0; at < 2_000; at++) vectors.keep([entry(`text ${at}`)]);
    expect(await find('text 0')).toEqual([undefined]);
    expect(batches).toEqual([]);
    world.isReady = true;
    listener.onReady();
    expect(await find('text 0', 'text 1500')).toEqual([entry('text 0')[1], undefined]);
    expect(batches[0]!.length).toBe(1_024);
    expect(stored.size).toBeGreaterThan(1_000);
  });

  it('make no calls after closing', async () => {
    const { vectors, find, batches, listener } = await open();
    vectors.close();
    vectors.keep([entry('a')]);
    listener.onReady();
    expect(await find('a')).toEqual([undefined]);
    expect(batches).toEqual([]);
  });

  it('are none for a model whose files cannot be read', async () => {
    const states: VectorStoreState[] = [];
    const vectors = new RedisVectors({
      model: Promise.reject(new Error('no file')),
      connect: async () => ({ isReady: true, run: async () => [], close() {} }),
      now: () => 0,
      deadline: () => new AbortController().signal,
      onChange: (state) => states.push(state),
    });
    await settle();
    expect(await vectors.find([keyOf('a')])).toEqual([undefined]);
    expect(states).toEqual([{ kind: 'away', problem: 'UNREACHABLE' }]);
  });
});
