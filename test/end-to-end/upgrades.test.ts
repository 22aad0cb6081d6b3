/**
 * @module-tag redis
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answer, callTool, type Model, type RedisServer, say, startRedis } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FEW_TOOLS, loadBy, rowsOfModes, send } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

/**
 * The data of a proxy of Winnow 0.1 before 22 November 2026: the records of four exchanges, and the sessions
 * of two conversations. Written by that very version, over the scripted upstream.
 */
const left = (name: string) => readFileSync(new URL(`of-0.1/${name}`, import.meta.url), 'utf8');
const OLD_RECORDS = left('records.jsonl');
const OLD_SESSIONS = JSON.parse(left('redis.json')) as Readonly<Record<string, readonly string[]>>;

const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = FEW_TOOLS[9]!.name;

/** Searches once in every turn of the user, and then speaks. */
const searchesOnce: Model = (conversation) => {
  const isFound = conversation.turns.at(-1)?.role === 'results';
  return answer([isFound ? say('It is rainy.') : callTool(SEARCH_TOOL, { query: WANTED })]);
};

type LoadMode = 'swap' | 'bridge';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());

/** New proxies over the Redis of the old ones, with the same settings. */
async function startBeside(mode: LoadMode): Promise<Stack> {
  await redis.ask('flushall');
  for (const [key, values] of Object.entries(OLD_SESSIONS)) await redis.ask('rpush', key, ...values);
  const stack = await startStack({
    model: searchesOnce,
    proxies: 2,
    settings: {
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
      ...loadBy(mode),
      PROXY_SESSIONS_STORE: 'redis',
      PROXY_SESSIONS_SECRET: 'the-same-for-both',
      PROXY_REDIS_URL: redis.url,
      PROXY_REDIS_TIMEOUT: '10s',
      PROXY_REDIS_KEY_PREFIX: 'winnow:',
    },
  });
  const isUp = async (url: string) =>
    (await (await fetch(`${url}/_winnow/metrics`)).text()).includes('winnow_proxy_session_store_up 1');
  for (const url of stack.proxyUrls) while (!(await isUp(url)));
  return stack;
}

/** The values under the old keys. */
async function oldValues(): Promise<Record<string, string>> {
  const values = Object.keys(OLD_SESSIONS).map(
    async (key) => [key, await redis.ask('lrange', key, '0', '-1')] as const,
  );
  return Object.fromEntries(await Promise.all(values));
}

const ROWS = rowsOfModes('openai');

describe.each(ROWS)('%s, %s: a conversation of an old proxy', (format, mode) => {
  // As it began there: the same credential, the same first message.
  const begun = [
    { role: 'user', content: 'What is the weather?' },
    { role: 'assistant', content: 'It is sunny.' },
    { role: 'user', content: 'And tomorrow?' },
  ];

  test('continues with a new one, which takes what the old one has stored for nothing, and leaves it as it is', async () => {
    const stack = await startBeside(mode);
    const before = await oldValues();
    expect(Object.values(before).join()).toContain('1.');
    const [one, other] = stack.proxyUrls as [string, string];
    const ask = async (url: string, messages: readonly object[]) => {
      const response = await send({ format, url, more: { messages } });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('It is rainy.');
    };
    await ask(one, begun);
    expect(stack.upstream.requests[0]!.text).not.toContain('SearchAbcdefgh');
    await ask(other, [...begun, { role: 'assistant', content: 'It is rainy.' }, begun[2]!]);
    await recordsOf(stack, 2);
    expect(
      stack.records.map(({ sessionErrors, hiddenTurnsKnown }) => [sessionErrors, hiddenTurnsKnown]),
    ).toEqual([
      [0, 0],
      // Stored by the first of the new ones.
      [0, 1],
    ]);
    expect(stack.upstream.rejected()).toEqual([]);
    expect(stack.events).toEqual([]);
    expect(await oldValues()).toEqual(before);
  });

  test('finds nothing of a new one where it looks', async () => {
    const stack = await startBeside(mode);
    await (await send({ format, url: stack.proxyUrl, more: { messages: begun } })).text();
    await recordsOf(stack, 1);
    const keys = (await redis.ask('keys', '*')).match(/winnow:\S+/g)!;
    const added = keys.filter((key) => !(key in OLD_SESSIONS));
    expect(added.length).toBeGreaterThan(0);
    // The only two that an old proxy reads.
    expect(added.filter((key) => /:(?:names|turns)$/.test(key))).toEqual([]);
  });
});

test('old and new records are counted in one report', async () => {
  const stack = await startStack({ model: searchesOnce });
  await (await send({ format: 'openai', url: stack.proxyUrl })).text();
  await (await send({ format: 'openai', url: stack.proxyUrl, more: { tools: [] } })).text();
  await recordsOf(stack, 2);
  const folder = mkdtempSync(join(tmpdir(), 'winnow-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'records.jsonl');
  const newRecords = stack.records.map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(file, OLD_RECORDS + newRecords.join(''));
  const program = join(import.meta.dirname, '../../apps/report/src/main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, file, '--json']);
  const report = JSON.parse(stdout);
  expect(report.reading.counts).toMatchObject({ lines: 6, records: 6, invalid: 0, other_version: 0 });
  expect(report.traffic.exchanges).toBe(6);
  // Searches of old and new ones together; fields missing in old records are not invented.
  expect(report.searches.results.searches).toBe(3);
  expect(report.tools.changed.newlyLoaded.count).toBe(1);
});
