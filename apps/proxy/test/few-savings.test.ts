import { describe, expect, test, vi } from 'vitest';
import type { Note, SessionStore } from '../src/sessions/session-store.ts';
import { Agents } from '../src/strategies/agents.ts';
import { NO_PRELOAD } from '../src/strategies/preload.ts';
import type { UpstreamRequest } from '../src/upstream/send-upstream.ts';
import { engineOver } from './engine-over.ts';
import { responseOf } from './exchange-under-test.ts';

/** The settings as they are shipped, apart from preloading. */
const SHIPPED = {
  PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '5',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_DEFERRED_TOKENS: '2000',
};
const DEFERS = { defers: true, bills: { direct: 10, deferred: 5 }, reviewedAt: 0 };
const PASSES = { defers: false, bills: { direct: 10, deferred: 9.9 }, reviewedAt: 0 };

const ELSEWHERE = {
  PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
  PROXY_UPSTREAMS_OPENAI_BASE_URL: 'http://127.0.0.1:9',
};

const tools = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    name: `tool_${number}`,
    description: `Does one thing. ${'x'.repeat(400)}`,
    input_schema: { type: 'object', properties: {} },
  }));
const CACHED = { cache_control: { type: 'ephemeral' } };
/** Two dozen tools and a long system prompt that is cached: deferring cannot pay. */
const BODY = {
  model: 'claude-opus-5',
  max_tokens: 9,
  system: [{ type: 'text', text: 'x'.repeat(60_000), ...CACHED }],
  tools: tools(24),
};
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

function engine(
  environment: Readonly<Record<string, string>> = {},
  sessions?: SessionStore,
  preloaded: readonly string[] = [],
) {
  const sent: UpstreamRequest[] = [];
  const agents = new Agents({ now: () => 0, wallClock: () => 0 });
  const send = async (request: UpstreamRequest) => {
    sent.push(request);
    if (request.path.endsWith('/chat/completions')) return responseOf(200, chatAnswer(sent.length));
    return responseOf(200, {
      id: `msg_${sent.length}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'done' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 9_000 },
    });
  };
  const engine = engineOver(
    send,
    { ...SHIPPED, ...environment },
    {
      agents,
      preload: { ...NO_PRELOAD, byWords: async () => preloaded },
      ...(sessions && { sessions }),
    },
  );
  const post = async (path: string, body: object) => {
    const response = await engine.post(path, body);
    await response.text();
    const record = (await engine.reported()).at(-1)!;
    agents.learn(record);
    return record;
  };
  const ask = (messages: object[], more: object = {}) => post('/v1/messages', { ...BODY, messages, ...more });
  return { ask, post, agents, sent };
}

function chatAnswer(id: number) {
  return {
    id: `chat-${id}`,
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9_010, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 9_000 } },
  };
}

/** Returns a Chat request for a model of unknown price, with this many tools. */
const unpriced = (messages: readonly object[], count: number, system = 'short') => ({
  model: 'ours',
  messages: [{ role: 'system', content: system }, ...messages],
  tools: tools(count).map(({ input_schema: parameters, ...tool }) => ({
    type: 'function',
    function: { ...tool, parameters },
  })),
});

/** A store that other processes read, too. */
function sharedStore() {
  const notes = new Map<string, Note>();
  const store: SessionStore = {
    isShared: true,
    read: async (_, keys) =>
      new Map(keys.flatMap((key) => (notes.has(key) ? [[key, notes.get(key)!.value] as const] : []))),
    add: async (_, added) => {
      for (const note of added) notes.set(note.key, note);
    },
    sweep: () => {},
  };
  return { notes, store };
}

describe('a request whose deferral would not be cheaper', () => {
  test('passes unchanged, and its record has both estimates', async () => {
    const { ask, sent } = engine();
    const record = await ask([user('hello')]);
    expect(record).toMatchObject({
      planReason: 'few_savings',
      tools: { deferred: 0 },
      agent: { isFirst: true },
    });
    expect(record.bills!.deferred).toBeGreaterThan(0.95 * record.bills!.direct);
    expect(JSON.parse(String(sent[0]!.body))).toEqual({ ...BODY, messages: [user('hello')] });
  });

  test('is deferred if the goal is the context, or the operator has set a threshold', async () => {
    for (const setting of ['GOAL', 'MIN_TOOLS'] as const) {
      const value = setting === 'GOAL' ? 'context' : '6';
      const { ask } = engine({ [`PROXY_PIPES_TOOL_DISCOVERY_${setting}`]: value });
      const record = await ask([user('hello')]);
      expect(record.planReason).toBe('deferred');
      expect(record.bills).toBeUndefined();
    }
  });

  test('is deferred if nothing is marked to be cached, so that tokens decide', async () => {
    const { ask } = engine();
    const record = await ask([user('hello')], { system: 'short', tools: tools(60) });
    expect(record).toMatchObject({ planReason: 'deferred' });
    expect(record.bills!.deferred).toBeLessThan(0.95 * record.bills!.direct);
  });

  test('is counted with whether requests mark their latest messages', async () => {
    const { ask, agents } = engine();
    const meet = vi.spyOn(agents, 'meet');
    const marked = { role: 'user', content: [{ type: 'text', text: 'go on', ...CACHED }] };
    const begun = [{ ...marked }, assistant('done')];
    await ask([marked]);
    await ask([...begun, user('go on'), assistant('done'), user('go on')]);
    await ask([...begun, marked, assistant('done'), user('go on'), assistant('done'), user('go on')]);
    await ask([...begun, user('go on'), assistant('done'), marked]);
    await ask([...begun, user('go on'), assistant('done'), user('go on')], CACHED);
    await ask([user('hello')]);
    expect(meet.mock.calls.map(([{ marksLatest }]) => marksLatest)).toEqual([
      true,
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  test('is counted with what marks for an hour cost', async () => {
    const billWith = async (more: object) => {
      const cache_control = { type: 'ephemeral', ...more };
      const system = [{ type: 'text', text: 'x'.repeat(60_000), cache_control }];
      return (await engine().ask([user('hello')], { system })).bills!.direct;
    };
    expect(await billWith({ ttl: '1h' })).toBeGreaterThan(1.05 * (await billWith({})));
  });

  test('is measured although tools are preloaded, and is dearest where tools are swapped', async () => {
    const billIn = async (load: string, preloaded: readonly string[] = ['tool_3', 'tool_4']) => {
      const environment = { PROXY_UPSTREAMS_ANTHROPIC_LOAD: load, PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '5' };
      const { bills } = await engine(environment, undefined, preloaded).ask([user('hello')]);
      return bills!.deferred;
    };
    const [native, bridge, swap] = [await billIn('native'), await billIn('bridge'), await billIn('swap')];
    expect(native).toBeLessThan(swap);
    expect(bridge / native).toBeCloseTo(1, 1);
    // Definitions of preloaded tools are read anew in each conversation.
    expect(native).toBeGreaterThan(await billIn('native', []));
  });

  test('passes at any server if its model has a price, or its marks show that a cache is expected', async () => {
    for (const model of ['claude-opus-5', 'ours']) {
      const { ask } = engine(ELSEWHERE);
      expect(await ask([user('hello')], { model })).toMatchObject({ planReason: 'few_savings' });
    }
  });

  test('is deferred by thresholds if its model has no price and nothing shows a cache', async () => {
    const { post } = engine(ELSEWHERE);
    const record = await post('/v1/chat/completions', unpriced([user('hello')], 24));
    expect(record).toMatchObject({ planReason: 'deferred', loadMode: 'swap' });
  });
});

describe('a conversation', () => {
  const later = [user('hello'), assistant('done'), user('and now?')];

  test('keeps the choice that it has begun with, while new ones follow the new decision', async () => {
    const { ask, agents } = engine();
    const { agent } = await ask([user('hello')]);
    agents.adopt(agent!.id, DEFERS);
    expect((await ask(later)).planReason).toBe('few_savings');
    expect((await ask([user('another')])).planReason).toBe('deferred');
    agents.adopt(agent!.id, PASSES);
    expect((await ask([user('another'), ...later.slice(1)])).planReason).toBe('deferred');
  });

  test('that thresholds have deferred stays deferred when the bill of its agent decides', async () => {
    const { post } = engine(ELSEWHERE);
    const planned = async (messages: object[]) =>
      (await post('/v1/chat/completions', unpriced(messages, 24, 'x'.repeat(200_000)))).planReason;
    expect(await planned([user('hello')])).toBe('deferred');
    expect(await planned([user('another')])).toBe('few_savings');
    expect(await planned(later)).toBe('deferred');
  });

  test('that swaps continues so once a cache shows, and does not decide about new ones, which begin in bridge mode', async () => {
    const { post } = engine(ELSEWHERE);
    const planned = async (messages: object[]) => {
      const { planReason, loadMode } = await post('/v1/chat/completions', unpriced(messages, 100));
      return [planReason, loadMode];
    };
    expect(await planned([user('hello')])).toEqual(['deferred', 'swap']);
    expect(await planned(later)).toEqual(['deferred', 'swap']);
    expect(await planned([user('another')])).toEqual(['deferred', 'bridge']);
    expect(await planned([user('another'), ...later.slice(1)])).toEqual(['deferred', 'bridge']);
  });

  test('begins in bridge mode where its marks show that a cache is expected', async () => {
    const { ask } = engine(ELSEWHERE);
    const marked = { role: 'user', content: [{ type: 'text', text: 'hello', ...CACHED }] };
    const record = await ask([marked], { model: 'ours', tools: tools(200) });
    expect(record).toMatchObject({ planReason: 'deferred', loadMode: 'bridge' });
  });

  test('has one head from its beginning on, also for a tool that `tool_choice` has named before', async () => {
    const { ask, sent } = engine();
    const many = { tools: tools(200) };
    const choice = { tool_choice: { type: 'tool', name: 'tool_7' } };
    const shown = () =>
      (JSON.parse(String(sent.at(-1)!.body)).tools as { name: string; defer_loading?: boolean }[])
        .filter((tool) => !tool.defer_loading)
        .map(({ name }) => name);
    await ask([user('hello')], many);
    const before = shown();
    await ask(later, { ...many, ...choice });
    expect(shown()).toEqual(['tool_7', ...before]);
    await ask([user('another')], many);
    expect(shown()).toEqual(['tool_7', ...before]);
    await ask([user('another'), ...later.slice(1)], { ...many, ...choice });
    expect(shown()).toEqual(['tool_7', ...before]);
  });

  test('whose choice is forgotten follows the decision about its agent', async () => {
    const { ask, agents } = engine();
    const { agent } = await ask([user('hello')]);
    agents.adopt(agent!.id, DEFERS);
    expect((await ask([user('unknown'), ...later.slice(1)])).planReason).toBe('deferred');
  });

  test('follows what another process has decided about its agent', async () => {
    const { notes, store } = sharedStore();
    const first = engine({}, store);
    await first.ask([user('hello')]);
    const [key] = [...notes.keys()].filter((one) => one.includes('agent'));
    expect(JSON.parse(notes.get(key!)!.value)).toMatchObject({ defers: false });
    notes.set(key!, { key: key!, value: JSON.stringify(DEFERS), ifTaken: 'replace' });
    const second = engine({}, store);
    expect((await second.ask([user('another')])).planReason).toBe('deferred');
  });

  test('continues if the store fails or holds something else', async () => {
    const { notes, store } = sharedStore();
    const failing = { ...store, read: () => Promise.reject(new Error('away')) };
    expect((await engine({}, failing).ask([user('hello')])).planReason).toBe('few_savings');
    await engine({}, store).ask([user('hello')]);
    for (const key of notes.keys()) notes.set(key, { key, value: '{"mode":"new"}', ifTaken: 'replace' });
    expect((await engine({}, store).ask([user('other')])).planReason).toBe('few_savings');
  });
});
