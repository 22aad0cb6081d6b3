/**
 * @module-tag redis
 */
import {
  answer,
  callTool,
  createRandom,
  type Model,
  type Random,
  type RedisServer,
  say,
  startRedis,
} from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FEW_TOOLS, send } from './raw-client.ts';
import { PATIENT, type Stack, type StackOptions, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const NAMES = FEW_TOOLS.map(({ name }) => name);

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
}

/** A conversation from its client's point of view, with the exchanges whose responses it contains. */
interface Thread {
  readonly key: string;
  readonly messages: readonly Message[];
  readonly ancestors: ReadonlySet<string>;
}

/**
 * A model on a server that numbers the calls of each response from 0, so that all conversations have the same
 * ids.
 */
function randomModel(random: Random, searches: Map<string, string>): Model {
  let count = 0;
  return (conversation, request) => {
    const search = (id: string) => {
      const query = `q${count++}q ${random.pick(NAMES)}`;
      searches.set(query, String(request.headers['x-test-exchange']));
      return callTool(SEARCH_TOOL, { query }, { id });
    };
    const visible = NAMES.filter((name) => conversation.callable.has(name));
    const maySearch = conversation.callable.has(SEARCH_TOOL);
    const kind = random.below(4);
    if (kind === 0 && maySearch) return answer([search('call_0')]);
    if (kind === 1 && visible.length > 0) {
      const call = callTool(random.pick(visible), {}, { id: 'call_0' });
      return answer(maySearch && random.chance(0.5) ? [call, search('call_1')] : [call]);
    }
    return answer([say(random.pick(['Done.', 'It is done.', 'Yes.']))]);
  };
}

interface World {
  readonly stack: Stack;
  readonly random: Random;
  readonly threadOf: Map<string, Thread>;
}

/** Sends a thread, sometimes twice at once; returns it with one of the responses. */
async function go({ stack, random, threadOf }: World, thread: Thread): Promise<Thread> {
  const ask = async () => {
    const exchange = crypto.randomUUID();
    threadOf.set(exchange, thread);
    const response = await send({
      format: 'openai',
      url: random.pick(stack.proxyUrls),
      headers: { 'x-test-exchange': exchange, authorization: `Bearer ${thread.key}` },
      more: { messages: thread.messages },
    });
    const body = (await response.json()) as { choices: { message: Message }[] };
    expect(response.status, JSON.stringify(body)).toBe(200);
    return { exchange, message: body.choices[0]!.message };
  };
  const responses = await Promise.all(random.chance(0.2) ? [ask(), ask()] : [ask()]);
  const { exchange, message } = random.pick(responses);
  const results = (message.tool_calls ?? []).map(({ id }) => ({
    role: 'tool',
    tool_call_id: id,
    content: 'ok',
  }));
  const next =
    results.length > 0 ? results : [{ role: 'user', content: random.pick(['Go on.', 'And now?']) }];
  return {
    ...thread,
    messages: [...thread.messages, message, ...next],
    ancestors: new Set([...thread.ancestors, exchange]),
  };
}

/**
 * Changes that clients make to histories: they go back to a message of the user, say something else there, or
 * drop the beginning.
 */
function change(random: Random, thread: Thread): Thread {
  const { messages } = thread;
  const users = messages.flatMap(({ role }, at) => (role === 'user' ? [at] : []));
  const at = random.pick(users);
  if (random.chance(0.15)) return { ...thread, messages: messages.slice(0, at + 1) };
  if (random.chance(0.1)) {
    return { ...thread, messages: [...messages.slice(0, at), { role: 'user', content: 'Rather this.' }] };
  }
  return random.chance(0.1) ? { ...thread, messages: messages.slice(at) } : thread;
}

const spoken = (messages: readonly Message[]) => messages.map((message) => JSON.stringify(message));

/** Searches in upstream requests that belong to a different conversation. */
function foreignSearches({ stack, threadOf }: World, searches: ReadonlyMap<string, string>): string[] {
  return stack.upstream.requests.flatMap(({ headers, text }) => {
    const own = String(headers['x-test-exchange']);
    const thread = threadOf.get(own)!;
    const said = spoken(thread.messages);
    return [...text.matchAll(/\\"(q\d+q [^"\\]*)\\"/g)].flatMap(([, query = '']) => {
      const from = searches.get(query)!;
      const other = threadOf.get(from)!;
      const isAlike =
        other.key === thread.key && spoken(other.messages).every((message, at) => message === said[at]);
      return from === own || thread.ancestors.has(from) || isAlike ? [] : [`${query} of ${from} in ${own}`];
    });
  });
}

const STORES: readonly [string, () => Partial<StackOptions>][] = [
  ['in memory', () => ({})],
  [
    'in Redis, over two proxies',
    () => ({
      proxies: 2,
      effects: PATIENT,
      settings: {
        PROXY_SESSIONS_SECRET: crypto.randomUUID(),
        PROXY_REDIS_URL: redis.url,
      },
    }),
  ],
];

describe.each(STORES)(
  'random chats that begin alike, with the same call ids everywhere, %s',
  (_, options) => {
    test.each([1, 2, 3])('are never refused, and have nothing of each other (seed %d)', async (seed) => {
      const random = createRandom(seed);
      const searches = new Map<string, string>();
      const { settings, ...more } = options();
      const stack = await startStack({
        ...more,
        model: randomModel(random, searches),
        settings: {
          PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
          PROXY_PIPES_TOOL_DISCOVERY_ALWAYS_KEEP: NAMES[0]!,
          ...settings,
        },
      });
      const isUp = async (url: string) =>
        (await (await fetch(`${url}/_winnow/metrics`)).text()).includes('winnow_proxy_session_store_up 1');
      for (const url of stack.proxyUrls) while (!(await isUp(url)));
      const world: World = { stack, random, threadOf: new Map() };
      const begin = (): Thread => ({
        key: random.pick(['one-client', 'another-client']),
        messages: [{ role: 'user', content: 'Do it.' }],
        ancestors: new Set(),
      });
      const threads: Thread[] = [await go(world, begin())];
      for (let step = 0; step < 120; step++) {
        const at = random.below(threads.length);
        const isNew = threads.length < 20 && random.chance(0.25);
        const next = await go(world, isNew ? begin() : change(random, threads[at]!));
        // A fork is kept along with its origin.
        if (isNew || random.chance(0.1)) threads.push(next);
        else threads[at] = next;
      }
      expect(stack.upstream.rejected().map(({ rejection }) => rejection?.message)).toEqual([]);
      expect(foreignSearches(world, searches)).toEqual([]);
      // There were hidden turns to restore.
      const known = stack.records.reduce((sum, { hiddenTurnsKnown }) => sum + hiddenTurnsKnown, 0);
      expect(known).toBeGreaterThan(50);
    });
  },
);
