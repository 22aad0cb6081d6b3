/**
 * @module-tag redis
 */
import { startRedis } from '@winnow/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { KEY, startEmbeddingsEndpoint } from './embeddings-endpoint.ts';
import { post, start } from './start.ts';

const TOOLS = [
  { name: 'bank_holidays', description: 'Bank holidays of a bank.' },
  { name: 'bank_of_river', description: 'The bank of a river.' },
  { name: 'bank_transfer', description: 'Makes a transfer at any bank in the country.' },
];
const MANY = Array.from({ length: 200 }, (_, at) => ({
  name: `bank_${at}`,
  description: `Number ${at} of a bank.`,
}));
const PATTERN = 'pay at the bank';
const BY_WORDS = ['bank_holidays', 'bank_transfer', 'bank_of_river'];
const BY_MEANING = ['bank_transfer', 'bank_holidays', 'bank_of_river'];

/** Never passes while a test runs: a slow machine must not look like a hanging Redis. */
const PATIENT: typeof AbortSignal.timeout = () => AbortSignal.timeout(120_000);

async function startServer(deadline = PATIENT) {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const endpoint = await startEmbeddingsEndpoint();
  const open = async (more: object = {}) => {
    let passedMs = 0;
    const selector = await start(
      {
        embedder: endpoint.address,
        embedderKey: KEY,
        embedderBudgetMs: 20_000,
        redisUrl: redis.url,
        ...more,
      },
      { now: () => performance.now() + passedMs, deadline },
    );
    const search = async (tools: object[] = TOOLS, pattern = PATTERN) => {
      const include = ['metadata'];
      const { status, body } = await post(selector.searchUrl, { pattern, tools, include, top_k: 3 });
      expect(status).toBe(200);
      return body as { selected_names: string[]; search_metadata: { degraded?: true } };
    };
    const searchUntilWhole = async (tools?: object[], pattern?: string) => {
      for (;;) {
        const found = await search(tools, pattern);
        if (found.search_metadata.degraded === undefined) return found.selected_names;
      }
    };
    const vectors = async () => {
      const text = await (await fetch(`${selector.url}/metrics`)).text();
      return Number(/^winnow_selector_vectors (\d+)$/m.exec(text)![1]);
    };
    const events = () => selector.logs().filter(({ event }) => String(event).startsWith('vector_store'));
    return {
      ...{ selector, search, searchUntilWhole, vectors, events },
      pass(ms: number) {
        passedMs += ms;
      },
    };
  };
  const keys = async () => [...(await redis.ask('KEYS', 'winnow:vectors:*')).matchAll(/winnow:\S+/g)].flat();
  return { redis, endpoint, open, keys };
}

it('several selectors compute the vectors of tools once, share none of queries, and let them expire', async () => {
  const { redis, endpoint, open, keys } = await startServer();
  const one = await open();
  // The first vectors of a process say how many dimensions its model has.
  expect(await one.searchUntilWhole()).toEqual(BY_MEANING);
  await one.searchUntilWhole(MANY, 'number of the bank');
  await expect.poll(one.vectors).toBe(205);
  await expect.poll(async () => (await keys()).length).toBe(203);
  for (const key of (await keys()).slice(0, 5)) {
    expect(key).toMatch(/^winnow:vectors:1:\{[0-9a-f]{32}\}:\d{1,6}$/);
    const left = Number((await redis.ask('PTTL', key)).slice(1));
    expect(left).toBeGreaterThan(29 * 24 * 3_600_000);
  }
  const before = endpoint.asked.length;
  const two = await open();
  expect(await two.searchUntilWhole()).toEqual(BY_MEANING);
  await two.searchUntilWhole(MANY, 'number of the bank');
  await expect.poll(two.vectors).toBe(205);
  // Both queries, and the three tools that came before anything was known of the model.
  const asked = endpoint.asked.slice(before);
  expect(asked).toEqual(expect.arrayContaining([PATTERN, 'number of the bank']));
  expect(asked.filter((text) => text.includes(': Number'))).toEqual([]);
});

it('foreign values are read only as a vector of the same text', async () => {
  const { redis, endpoint, open, keys } = await startServer();
  const one = await open();
  await one.searchUntilWhole();
  await expect.poll(async () => (await keys()).length).toBe(3);
  const spoilt = await keys();
  const [first, second, third] = spoilt as [string, string, string];
  const ofFirst = (await redis.ask('GET', first)).split('\r\n')[1]!;
  await redis.ask('DEL', second);
  await redis.ask('RPUSH', second, 'a list');
  await redis.ask('SET', third, ofFirst);
  await redis.ask('SET', first, `${ofFirst.slice(0, 33)}${'A'.repeat(20_000_000)}`);
  const before = endpoint.asked.length;
  const two = await open();
  expect(await two.searchUntilWhole()).toEqual(BY_MEANING);
  expect(endpoint.asked.slice(before).length).toBe(4);
  expect(two.events()).toEqual([]);
});

it('works without its Redis, says so once, and uses it again after its return', async () => {
  const { redis, open, keys } = await startServer();
  const one = await open();
  await one.searchUntilWhole();
  await expect.poll(async () => (await keys()).length).toBe(3);
  await redis.kill();
  await expect.poll(() => one.events().map(({ event }) => event)).toEqual(['vector_store_away']);
  await one.searchUntilWhole(MANY.slice(0, 20), 'number of the bank');
  expect(one.events()).toMatchObject([{ event: 'vector_store_away', level: 'warn', problem: 'UNREACHABLE' }]);
  await redis.start();
  await expect
    .poll(() => one.events().map(({ event }) => event))
    .toEqual(['vector_store_away', 'vector_store_back']);
  await one.searchUntilWhole(MANY.slice(20, 40), 'number of a bank');
  await expect.poll(async () => (await keys()).length).toBeGreaterThan(0);
});

it('waits neither for a hanging Redis nor for a missing one', async () => {
  const { redis, open } = await startServer(AbortSignal.timeout);
  const one = await open();
  await one.searchUntilWhole();
  redis.pause();
  onTestFinished(() => redis.resume());
  expect(await one.searchUntilWhole(MANY, 'number of the bank')).toHaveLength(3);
  await expect.poll(one.vectors, { timeout: 20_000 }).toBe(205);
  expect(one.events()).toMatchObject([{ event: 'vector_store_away' }]);
  const two = await open({ redisUrl: 'redis://127.0.0.1:9' });
  expect(await two.searchUntilWhole()).toEqual(BY_MEANING);
});

it('reports a full Redis', async () => {
  const redis = await startRedis({ config: ['maxmemory 1'] });
  onTestFinished(() => redis.close());
  const { open } = await startServer();
  const one = await open({ redisUrl: redis.url });
  expect(await one.searchUntilWhole()).toEqual(BY_MEANING);
  await expect.poll(one.events).toMatchObject([{ event: 'vector_store_away', problem: 'OOM' }]);
  expect(await one.search(TOOLS, 'river bank')).toMatchObject({ selected_names: expect.any(Array) });
});

it('opens no connection without an embedder, and finds by words', async () => {
  const { open } = await startServer();
  const { search, events } = await open({ embedder: '', embedderKey: '', redisUrl: '' });
  expect((await search()).selected_names).toEqual(BY_WORDS);
  expect(events()).toEqual([]);
});
