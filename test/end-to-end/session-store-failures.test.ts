/**
 * @module-tag redis
 */
import { answer, callTool, type RedisServer, startRedis } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { continueHistory } from './continue-history.ts';
import {
  defines,
  FEW_TOOLS,
  type FormatMode,
  loadBy,
  rowsOfModes,
  send,
  type WireFormat,
} from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const [CALLED, , , , , , , , , WANTED] = FEW_TOOLS.map(({ name }) => name) as [string, ...string[]] &
  string[];

/** A server and a proxy over it, both ready. */
interface Scene {
  readonly stack: Stack;
  readonly server: RedisServer;
}

async function startScene(mode: FormatMode[1]): Promise<Scene> {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const stack = await startOver(server, mode);
  await untilStoreIs(stack, 1);
  return { stack, server };
}

/**
 * A proxy over a server; the model searches alongside a call, and then calls the tools found if it can see
 * them.
 */
function startOver(server: RedisServer, mode: FormatMode[1]): Promise<Stack> {
  return startStack({
    // Long enough for a busy machine; this is also the time after which a silent store is given up.
    effects: { deadline: (timeoutMs) => AbortSignal.timeout(Math.max(timeoutMs, 500)) },
    settings: {
      PROXY_SESSIONS_SECRET: 'secret',
      PROXY_REDIS_URL: server.url,
      ...loadBy(mode),
    },
    model: ({ turns, callable }) => {
      if (turns.at(-1)?.role !== 'results') {
        return answer([callTool(SEARCH_TOOL, { query: WANTED! }), callTool(CALLED)]);
      }
      const isDefined = turns.some(
        (turn) => turn.role === 'results' && turn.results.some(({ text }) => defines(text, WANTED!)),
      );
      return answer([callTool(callable.has(WANTED!) || isDefined ? WANTED! : CALLED)]);
    },
  });
}

async function untilStoreIs({ proxyUrl }: Stack, value: 0 | 1): Promise<void> {
  const line = `winnow_proxy_session_store_up ${value}\n`;
  while (!(await (await fetch(`${proxyUrl}/_winnow/metrics`)).text()).includes(line));
}

/**
 * Holds a conversation of two turns, with `between` between them. Returns whether the second turn knew the
 * tools found in the first, and whether each failed to read or to store: the first has nothing to read, the
 * second no hidden turn to store.
 */
async function converse(
  { stack }: Pick<Scene, 'stack'>,
  format: WireFormat,
  { isStream = false, between = async () => {} }: { isStream?: boolean; between?: () => unknown } = {},
): Promise<{ knew: boolean; errors: boolean[] }> {
  const recordsBefore = stack.records.length;
  const headers = { 'x-winnow-session': crypto.randomUUID() };
  const first = await send({ format, url: stack.proxyUrl, headers });
  expect(first.status).toBe(200);
  const messages = continueHistory(format, await first.json());
  await between();
  const second = await send({ format, url: stack.proxyUrl, headers, isStream, more: { messages } });
  expect(second.status).toBe(200);
  const text = await second.text();
  expect(text).not.toContain(SEARCH_TOOL);
  await recordsOf(stack, recordsBefore + 2);
  const records = stack.records.slice(recordsBefore);
  expect(records.map(({ outcome }) => outcome)).toEqual(['answered', 'answered']);
  // The strict upstream has never received an invalid request.
  expect(stack.upstream.rejected()).toEqual([]);
  return {
    knew: text.includes(`"${WANTED}"`),
    errors: records.map(({ sessionErrors }) => sessionErrors > 0),
  };
}

const DOWN = { event: 'session_store_down' };
const UP = { event: 'session_store_up' };

const storeEvents = ({ events }: Stack) => events.filter(({ event }) => String(event).startsWith('session_'));

describe.each(rowsOfModes())(
  '%s, %s: every request is answered, and sessions work again, when Redis',
  (format, mode) => {
    test('is not there at the start', async () => {
      const server = await startRedis();
      onTestFinished(() => server.close());
      await server.kill();
      const stack = await startOver(server, mode);
      expect(await converse({ stack }, format)).toEqual({ knew: false, errors: [true, true] });
      await untilStoreIs(stack, 0);
      await server.start();
      await untilStoreIs(stack, 1);
      expect(await converse({ stack }, format)).toEqual({ knew: true, errors: [false, false] });
      expect(storeEvents(stack)).toMatchObject([DOWN, UP]);
    });

    test('is killed in the middle of a conversation, and comes back empty', async () => {
      const { stack, server } = await startScene(mode);
      const between = async () => {
        await server.kill();
        await untilStoreIs(stack, 0);
      };
      expect(await converse({ stack }, format, { between })).toEqual({ knew: false, errors: [false, true] });
      await server.start();
      await untilStoreIs(stack, 1);
      expect(await converse({ stack }, format, { isStream: true })).toEqual({
        knew: true,
        errors: [false, false],
      });
      expect(storeEvents(stack)).toMatchObject([DOWN, UP]);
    });

    test('says nothing any more, and then speaks again', async () => {
      const { stack, server } = await startScene(mode);
      server.pause();
      const ask = async () => (await send({ format, url: stack.proxyUrl })).text();
      for (const text of await Promise.all([ask(), ask(), ask()])) expect(text).toContain(CALLED);
      await recordsOf(stack, 3);
      expect(stack.records.map(({ sessionErrors }) => sessionErrors)).toEqual([1, 1, 1]);
      await untilStoreIs(stack, 0);
      expect(await converse({ stack }, format)).toEqual({ knew: false, errors: [true, true] });
      server.resume();
      await untilStoreIs(stack, 1);
      expect(await converse({ stack }, format)).toEqual({ knew: true, errors: [false, false] });
      expect(storeEvents(stack)).toMatchObject([DOWN, UP]);
    });

    test('is full', async () => {
      const { stack, server } = await startScene(mode);
      const between = () => server.ask('CONFIG', 'SET', 'maxmemory', '1');
      // Earlier content is still known.
      expect(await converse({ stack }, format, { between })).toMatchObject({ knew: true });
      expect(await converse({ stack }, format)).toMatchObject({
        knew: false,
        errors: [true, expect.any(Boolean)],
      });
      await server.ask('CONFIG', 'SET', 'maxmemory', '0');
      expect(await converse({ stack }, format)).toEqual({ knew: true, errors: [false, false] });
      await untilStoreIs(stack, 1);
      expect(storeEvents(stack)).toMatchObject([{ ...DOWN, problem: 'full' }, UP]);
    });

    test('takes no writes', async () => {
      const { stack, server } = await startScene(mode);
      await server.ask('REPLICAOF', '127.0.0.1', '1');
      expect(await converse({ stack }, format)).toMatchObject({ knew: false });
      await server.ask('REPLICAOF', 'NO', 'ONE');
      // The connection is new and may not be ready yet.
      while (!(await converse({ stack }, format)).knew);
      await untilStoreIs(stack, 1);
      expect(storeEvents(stack)).toMatchObject([{ ...DOWN, problem: 'read_only' }, UP]);
    });
  },
);

describe.each(rowsOfModes('openai', 'anthropic'))(
  '%s, %s: every request is answered, and sessions work again, when Redis',
  (format, mode) => {
    test('comes back empty in the middle of a conversation', async () => {
      const { stack, server } = await startScene(mode);
      const between = () => server.ask('FLUSHALL');
      expect(await converse({ stack }, format, { between })).toEqual({ knew: false, errors: [false, false] });
      expect(await converse({ stack }, format)).toEqual({ knew: true, errors: [false, false] });
    });

    test('holds nonsense', async () => {
      const { stack, server } = await startScene(mode);
      const spoil = async () => {
        const keys = [...(await server.ask('KEYS', 'winnow:*')).matchAll(/^winnow:.*$/gm)].map(([key]) =>
          key.trim(),
        );
        expect(keys.length).toBeGreaterThan(0);
        for (const [number, key] of keys.entries()) {
          await server.ask('DEL', key);
          await (number % 2 === 0 ? server.ask('SET', key, 'x') : server.ask('RPUSH', key, '{"turns":'));
        }
      };
      expect(await converse({ stack }, format, { between: spoil })).toMatchObject({ knew: false });
      expect(await converse({ stack }, format)).toEqual({ knew: true, errors: [false, false] });
    });
  },
);
