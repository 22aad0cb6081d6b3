/**
 * @module-tag redis
 */
import { randomUUID } from 'node:crypto';
import { startRedis } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../src/guard/attach-store.ts';
import { addTools, start } from './start.ts';
import { proveStore } from './store-contract.ts';

async function open() {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const store = await openStore(
    { redisUrl: redis.url, clientTlsFolder: '' },
    {
      now: () => performance.now(),
      deadline: AbortSignal.timeout,
      makeId: () => randomUUID(),
      onChange: (isUp) => isUp && resolve(),
    },
  );
  onTestFinished(() => store.close());
  await ready;
  return { redis, store };
}

describe('a store in Redis', () => {
  proveStore(async () => (await open()).store);

  test('lets everything go by itself', async () => {
    const { redis, store } = await open();
    await store.lease('agent-1');
    await store.begin('k', 'body');
    await store.savePlan('p', {} as never);
    for (const key of ['writer:agent-1', 'key:k', 'plan:p']) {
      const left = Number((await redis.ask('PTTL', `winnow:attach:${key}`)).slice(1));
      expect(left).toBeGreaterThan(10_000);
    }
  });

  test('says that it does not answer', async () => {
    const { redis, store } = await open();
    await redis.kill();
    await expect(store.lease('agent-1')).rejects.toThrow('no reply');
  });
});

test('two instances have one writer for an agent, one response for a key, and plans in common', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const one = await start({ redisUrl: redis.url }, { makeId: randomUUID }, { latencyMs: 20 });
  const two = await start({ redisUrl: redis.url, lettaBaseUrl: one.letta.url }, { makeId: randomUUID });
  const ids = addTools(one.letta, ['create', 'list']);
  const agent = one.letta.state.addAgent(Object.values(ids).slice(6), []);
  const wish = { agent_id: agent.id, query: 'create a chart', min_score: 80 };
  await expect
    .poll(async () => (await two.post('tools/attach', { ...wish, dry_run: true })).status)
    .toBe(200);
  const dry = await two.post('tools/attach', { ...wish, dry_run: true });
  const key = { 'idempotency-key': 'k' };
  const running = one.post('tools/attach', { agent_id: agent.id, plan_id: dry.body.details.plan_id }, key);
  // It is in the middle of it.
  const isChanging = () => one.letta.calls.some(({ route }) => route === 'attach');
  await expect.poll(isChanging, { interval: 1 }).toBe(true);
  const second = await two.post('tools/attach', { ...wish, query: 'list mail' });
  const first = await running;
  expect([first.status, second.status]).toEqual([200, 200]);
  // The second one began with what the first one had left.
  expect(second.body.details.limits.before).toBe(first.body.details.limits.after);
  const plan = { agent_id: agent.id, plan_id: dry.body.details.plan_id };
  const again = await two.post('tools/attach', plan, key);
  expect(again.headers.get('idempotent-replay')).toBe('true');
  expect(again.body).toEqual(first.body);
});

test('without its Redis nothing is changed, and it is said', async () => {
  const redis = await startRedis();
  const { post, letta, logs } = await start({ redisUrl: redis.url });
  const ids = addTools(letta, ['create']);
  const agent = letta.state.addAgent(Object.values(ids), []);
  await redis.close();
  const { status, body } = await post('tools/attach', { agent_id: agent.id, query: 'chart' });
  expect([status, body.code]).toEqual([503, 'store_unavailable']);
  expect(letta.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  await expect.poll(() => logs().some(({ event }) => event === 'store_away')).toBe(true);
});
