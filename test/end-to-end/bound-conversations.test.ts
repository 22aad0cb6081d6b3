/**
 * @module-tag redis
 */
import {
  type AnswerPart,
  answer,
  callTool,
  createRandom,
  type Model,
  type Random,
  type RedisServer,
  say,
  startRedis,
  think,
} from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MemorySessionStore } from '../../apps/proxy/src/sessions/memory.ts';
import type { SessionStore } from '../../apps/proxy/src/sessions/session-store.ts';
import { FEW_TOOLS, loadBy, send } from './raw-client.ts';
import { readContent } from './read-content.ts';
import { PATIENT, recordsOf, type Stack, type StackOptions, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const BRIDGE_TOOL = 'gateway_call_tool';
const NAMES = FEW_TOOLS.map(({ name }) => name);
const MODEL = 'claude-opus-5-5';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());

interface Block {
  readonly type: string;
  readonly id?: string;
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** A conversation from its client's point of view. */
interface Thread {
  /** The client's credential. */
  readonly key: string;
  readonly messages: readonly Message[];
  /** The exchanges whose responses it contains. */
  readonly ancestors: ReadonlySet<string>;
  /** Whether the client itself has removed something before the model's thinking. */
  readonly isEdited: boolean;
}

/** A model that searches, calls and speaks at random, and uses the same few texts in every conversation. */
function randomModel(random: Random, searches: Map<string, string>): Model {
  let count = 0;
  return (conversation, request) => {
    const exchange = String(request.headers['x-test-exchange']);
    const parts: AnswerPart[] = [think(`Thought ${count++}.`)];
    const search = () => {
      const query = `q${count++}q ${random.pick(NAMES)}`;
      searches.set(query, exchange);
      return callTool(SEARCH_TOOL, { query }, { id: `toolu_search${count}` });
    };
    const bridges = conversation.callable.has(BRIDGE_TOOL);
    const visible = NAMES.filter((name) => bridges || conversation.callable.has(name));
    const maySearch = conversation.callable.has(SEARCH_TOOL);
    const kind = random.below(4);
    if (kind === 0 && maySearch) return answer([...parts, search()]);
    if (kind === 1 && visible.length > 0) {
      const past = conversation.turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
      const called = Math.max(0, ...past.map(({ id }) => Number(/^call_(\d+)$/.exec(id)?.[1] ?? 0))) + 1;
      // Some servers number the calls of a conversation, so that ids repeat between conversations.
      const id = random.chance(0.5) ? `toolu_${count}Abcdefghijk` : `call_${called}`;
      const name = random.pick(visible);
      // Not every tool takes a call without arguments, so some calls through the bridge tool are refused.
      const isDirect = !bridges || (conversation.callable.has(name) && random.chance(0.5));
      parts.push(
        isDirect ? callTool(name, {}, { id }) : callTool(BRIDGE_TOOL, { name, arguments: {} }, { id }),
      );
      if (maySearch && random.chance(0.5)) parts.push(search());
      return answer(parts);
    }
    return answer([...parts, say(random.pick(['Done.', 'It is done.', 'Yes.']))]);
  };
}

/** Ways in which a client asks for thinking. */
const ADAPTIVE = { type: 'adaptive' };
const ENABLED = { type: 'enabled', budget_tokens: 1_024 };

interface World {
  readonly stack: Stack;
  readonly random: Random;
  readonly threadOf: Map<string, Thread>;
  readonly thinking: object;
  /** Whether the client requests a stream this time. */
  readonly wantsStream: () => boolean;
}

/** Sends a thread, sometimes twice at once; returns it with one of the responses. */
async function go(
  { stack, random, threadOf, thinking, wantsStream }: World,
  thread: Thread,
): Promise<Thread> {
  const ask = async () => {
    const exchange = crypto.randomUUID();
    threadOf.set(exchange, thread);
    const response = await send({
      format: 'anthropic',
      url: random.pick(stack.proxyUrls),
      isStream: wantsStream(),
      headers: { 'x-test-exchange': exchange, 'x-api-key': thread.key },
      more: { model: MODEL, thinking, max_tokens: 4_096, messages: thread.messages },
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return { exchange, content: (await readContent(response)) as Block[] };
  };
  const responses = await Promise.all(random.chance(0.2) ? [ask(), ask()] : [ask()]);
  const { exchange, content } = random.pick(responses);
  const calls = content.filter(({ type }) => type === 'tool_use');
  const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id!, content: 'ok' }));
  return {
    ...thread,
    messages: [
      ...thread.messages,
      { role: 'assistant', content },
      { role: 'user', content: results.length > 0 ? results : random.pick(['Go on.', 'And now?']) },
    ],
    ancestors: new Set([...thread.ancestors, exchange]),
  };
}

const FRESH: Thread = {
  key: 'one-client',
  messages: [{ role: 'user', content: 'Do it.' }],
  ancestors: new Set(),
  isEdited: false,
};

/** A conversation that begins like all others, by one of two clients. */
const begin = (random: Random): Thread => ({ ...FRESH, key: random.pick(['one-client', 'another-client']) });

/**
 * Changes that clients make to histories: they go back to repeat a turn or to say something else, and they
 * cut off the beginning and all thinking.
 */
function change(random: Random, thread: Thread): Thread {
  const turns = (thread.messages.length - 1) / 2;
  if (turns > 1 && random.chance(0.15)) {
    const messages = thread.messages.slice(0, 1 + 2 * random.between(0, turns - 1));
    // If a client went back within a turn whose thinking it has removed, it would be refused without Winnow,
    // too.
    if (thread.isEdited && typeof messages.at(-1)!.content !== 'string') return thread;
    const isEdit = typeof messages.at(-1)!.content === 'string' && random.chance(0.5);
    const said = isEdit ? [...messages.slice(0, -1), { role: 'user', content: 'Rather this.' }] : messages;
    return { ...thread, messages: said };
  }
  const at = 2 * random.between(1, Math.max(1, turns - 1));
  const start = thread.messages[at];
  // With a budget, the current turn has to keep its thinking.
  const isOver = typeof thread.messages.at(-1)!.content === 'string';
  if (turns > 2 && random.chance(0.15) && isOver && typeof start?.content === 'string') {
    const kept = thread.messages.slice(at + 1).map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? content : content.filter(({ type }) => type !== 'thinking'),
    }));
    // A message that consists only of thinking is not valid.
    const isWhole = kept.every(({ content }) => content.length > 0);
    if (isWhole) {
      return {
        ...thread,
        messages: [{ role: 'user', content: 'In short: go on.' }, ...kept],
        isEdited: true,
      };
    }
  }
  return thread;
}

/** The content of a thread without thinking. */
function spoken(messages: readonly Message[]): string[] {
  return messages.map(({ role, content }) =>
    JSON.stringify([
      role,
      typeof content === 'string' ? content : content.filter(({ type }) => type !== 'thinking'),
    ]),
  );
}

/** Searches in upstream requests that belong to a different conversation. */
function foreignSearches({ stack, threadOf }: World, searches: ReadonlyMap<string, string>): string[] {
  return stack.upstream.requests.flatMap(({ headers, text }) => {
    const own = String(headers['x-test-exchange']);
    const thread = threadOf.get(own)!;
    const said = spoken(thread.messages);
    return [...text.matchAll(/"(q\d+q [^"]*)"/g)].flatMap(([, query = '']) => {
      const from = searches.get(query)!;
      const isOwn = from === own || thread.ancestors.has(from);
      const other = threadOf.get(from)!;
      const begun = spoken(other.messages);
      // Histories common to two clients belong to those clients only.
      const isAlike = other.key === thread.key && begun.every((message, at) => message === said[at]);
      return isOwn || isAlike ? [] : [`${query} of ${from} in ${own}`];
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

async function startWorld(seed: number, options: Partial<StackOptions>, streamShare = 0) {
  const random = createRandom(seed);
  const searches = new Map<string, string>();
  const stack = await startStack({
    ...options,
    model: randomModel(random, searches),
    settings: {
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
      ...loadBy('native'),
      PROXY_PIPES_TOOL_DISCOVERY_ALWAYS_KEEP: NAMES[0]!,
      PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '0',
      ...options.settings,
    },
  });
  if (options.settings) await Promise.all(stack.proxyUrls.map(untilStoreIsUp));
  return {
    world: {
      stack,
      random,
      threadOf: new Map<string, Thread>(),
      thinking: seed % 2 === 0 ? ENABLED : ADAPTIVE,
      // A separate generator, so that conversations are the same with and without streams.
      wantsStream: wantsStream(createRandom(seed), streamShare),
    },
    searches,
  };
}

const wantsStream = (random: Random, share: number) => () => random.chance(share);

async function untilStoreIsUp(proxyUrl: string): Promise<void> {
  const isUp = async () =>
    (await (await fetch(`${proxyUrl}/_winnow/metrics`)).text()).includes('winnow_proxy_session_store_up 1');
  while (!(await isUp()));
}

/** Seeds, with the share of streams; in a sample, each store has one of either kind of thinking. */
const SEEDS = [
  [1, 0],
  [2, 1],
  [3, 0.5],
  [4, 0.5],
] as const;
const STEPS = inject('isExhaustive') ? 120 : 60;
const seedsOf = (store: string) =>
  SEEDS.filter(([seed]) => inject('isExhaustive') || (seed % 3 === 1) === store.includes('Redis'));

describe.each(STORES)(
  'random conversations that begin alike, of a model that binds its thinking, %s',
  (store, options) => {
    test.each(seedsOf(store))(
      'are never refused, and have nothing of each other (seed %d, streamed: %d)',
      async (seed, share) => {
        const { world, searches } = await startWorld(seed, options(), share);
        const { stack, random } = world;
        const threads: Thread[] = [];
        for (let step = 0; step < STEPS; step++) {
          const isNew = threads.length < 20 && random.chance(0.25);
          const at = random.below(Math.max(1, threads.length));
          const thread = isNew || threads.length === 0 ? begin(random) : change(random, threads[at]!);
          const next = await go(world, thread);
          // A fork is kept along with its origin.
          if (isNew || threads.length === 0 || random.chance(0.1)) threads.push(next);
          else threads[at] = next;
        }
        expect(stack.upstream.rejected().map(({ rejection }) => rejection?.message)).toEqual([]);
        expect(foreignSearches(world, searches)).toEqual([]);
        // There were hidden turns to restore.
        expect(stack.upstream.requests.some(({ text }) => text.includes('tool_reference'))).toBe(true);
      },
    );
  },
);

const BRIDGE_SEEDS = [
  [21, 0],
  [22, 1],
  [23, 0.5],
] as const;

test.each(inject('isExhaustive') ? BRIDGE_SEEDS : BRIDGE_SEEDS.slice(2))(
  'random conversations of such a model in bridge mode are never refused (seed %d, streamed: %d)',
  async (seed, share) => {
    const settings = { PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'bridge' };
    const { world, searches } = await startWorld(seed, { settings }, share);
    const { stack, random } = world;
    for (let number = 0; number < 10; number++) {
      let thread = begin(random);
      for (let turn = 0; turn < 8; turn++) thread = await go(world, thread);
    }
    expect(stack.upstream.rejected().map(({ rejection }) => rejection?.message)).toEqual([]);
    expect(foreignSearches(world, searches)).toEqual([]);
    // Calls through the bridge tool went back as such.
    const bridged = stack.upstream.requests.filter(({ text }) =>
      text.includes(`"name":"${BRIDGE_TOOL}","input"`),
    );
    expect(bridged.length).toBeGreaterThan(5);
  },
);

test('the first request of the 60th conversation shows what the first one showed', async () => {
  const { world } = await startWorld(7, {});
  const shown: string[] = [];
  for (let conversation = 0; conversation < 60; conversation++) {
    const before = world.stack.upstream.requests.length;
    await go(world, await go(world, FRESH));
    shown.push(JSON.stringify((world.stack.upstream.requests[before]!.json as { tools: unknown }).tools));
  }
  expect(new Set(shown).size).toBe(1);
});

test.each(inject('isExhaustive') ? [11, 12, 13, 14] : [11, 12])(
  'a conversation whose notes are lost is refused edited and as it is, once, and then continues at once (seed %d)',
  async (seed) => {
    const clock = () => 0;
    const makeStore = () => new MemorySessionStore({ ttlMs: 1_000, maxBytes: 100_000_000, now: clock });
    let current: SessionStore = makeStore();
    const sessions: SessionStore = {
      isShared: false,
      read: (tenant, keys) => current.read(tenant, keys),
      add: (place, notes) => current.add(place, notes),
      sweep: () => {},
    };
    const { world } = await startWorld(seed, { effects: { sessions } });
    const threads: Thread[] = [];
    for (let number = 0; number < 12; number++) {
      let thread = FRESH;
      for (let turn = 0; turn < 4; turn++) thread = await go(world, thread);
      threads.push(thread);
    }
    expect(world.stack.upstream.rejected()).toEqual([]);
    current = makeStore();
    let most = 0;
    for (const lost of threads) {
      const before = world.stack.upstream.rejected().length;
      // One after another: a request sent twice at once would be refused twice at once.
      const alone = { ...world, random: { ...world.random, chance: () => false } };
      let thread = lost;
      for (let turn = 0; turn < 4; turn++) thread = await go(alone, thread);
      most = Math.max(most, world.stack.upstream.rejected().length - before);
    }
    expect(most).toBe(2);
  },
);

describe.each([
  ['adaptive', ADAPTIVE],
  ['enabled', ENABLED],
])('with %s thinking, a conversation of such a model', (_, thinking) => {
  const more = { model: MODEL, thinking, max_tokens: 4_096 };

  test.each([false, true])(
    'passes unchanged where tools may only swap, and that is said once (streamed: %s)',
    async (isStream) => {
      const stack = await startStack({
        script: [1, 2].map((n) => answer([think(`t${n}`), say('Done.')])),
        settings: { PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'swap' },
      });
      for (let number = 0; number < 2; number++) {
        const response = await send({ format: 'anthropic', url: stack.proxyUrl, isStream, more });
        expect(response.status).toBe(200);
        await response.text();
      }
      expect(stack.upstream.requests.some(({ text }) => text.includes(SEARCH_TOOL))).toBe(false);
      await recordsOf(stack, 2);
      expect(stack.records.map(({ planReason }) => planReason)).toEqual(['thinking_bound', 'thinking_bound']);
      const said = stack.events.filter(({ event }) => event === 'thinking_bound');
      expect(said).toMatchObject([
        { upstream: 'anthropic', model: MODEL, setting: 'upstreams.anthropic.load' },
      ]);
    },
  );

  test.each([false, true])(
    'is deferred in bridge mode behind any origin (streamed: %s)',
    async (isStream) => {
      const stack = await startStack({ script: [answer([think('t'), say('Done.')])] });
      await (await send({ format: 'anthropic', url: stack.proxyUrl, isStream, more })).text();
      await recordsOf(stack, 1);
      expect(stack.records).toMatchObject([{ planReason: 'deferred', loadMode: 'bridge' }]);
    },
  );

  test('is left alone where swap is set', async () => {
    const stack = await startStack({
      script: [answer([say('Done.')])],
      settings: loadBy('swap'),
    });
    await (await send({ format: 'anthropic', url: stack.proxyUrl, more })).text();
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ planReason: 'thinking_bound' }]);
  });
});

describe.each([
  ['adaptive', ADAPTIVE],
  ['enabled', ENABLED],
])('a model that never stops searching, its thinking %s', (_, thinking) => {
  test.each([false, true])('answers in the end (streamed: %s)', async (isStream) => {
    let round = 0;
    const model: Model = (conversation) => {
      const thought = think(`Thought ${round++}.`);
      const search = callTool(SEARCH_TOOL, { query: `more ${round}` }, { id: `toolu_search${round}` });
      return answer([thought, conversation.mayCall ? search : say('I give up.')]);
    };
    const stack = await startStack({
      model,
      settings: loadBy('native'),
    });
    const request = { format: 'anthropic', url: stack.proxyUrl } as const;
    const more = { model: MODEL, thinking, max_tokens: 4_096 };
    const first = await send({ ...request, isStream, more });
    const text = await first.text();
    expect([first.status, text]).toEqual([200, expect.stringContaining('I give up.')]);
    expect(text).not.toContain(SEARCH_TOOL);
    expect(round).toBe(7);

    const whole = (await (await send({ ...request, more })).json()) as { content: Block[] };
    const messages = [
      { role: 'user', content: 'Do it.' },
      { role: 'assistant', content: whole.content },
      { role: 'user', content: 'Try again.' },
    ];
    expect((await send({ ...request, isStream, more: { ...more, messages } })).status).toBe(200);
    expect(stack.upstream.rejected()).toEqual([]);
  });
});
