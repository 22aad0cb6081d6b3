import { describe, expect, test } from 'vitest';
import { Agents } from '../src/strategies/agents.ts';
import type { UpstreamRequest } from '../src/upstream/send-upstream.ts';
import { engineOver } from './engine-over.ts';
import { responseOf } from './exchange-under-test.ts';

/** The settings as they are shipped, apart from preloading. */
const SHIPPED = {
  PROXY_TOOLS_GOAL: 'balanced',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '5',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_DEFERRED_TOKENS: '2000',
};

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
/** Two dozen tools, some 3,000 tokens, and a long system prompt that is cached: deferring hardly pays. */
const BODY = {
  model: 'claude-opus-5',
  max_tokens: 9,
  system: [{ type: 'text', text: 'x'.repeat(40_000), ...CACHED }],
  tools: tools(24),
};
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

function engine(
  environment: Readonly<Record<string, string>> = {},
  preloaded: readonly string[] = [],
  usage: object = { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 9_000 },
) {
  const sent: UpstreamRequest[] = [];
  const agents = new Agents({ now: () => 0 });
  const send = async (request: UpstreamRequest) => {
    sent.push(request);
    if (request.path.endsWith('/chat/completions')) return responseOf(200, chatAnswer(sent.length, usage));
    return responseOf(200, {
      id: `msg_${sent.length}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'done' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage,
    });
  };
  const engine = engineOver(
    send,
    { ...SHIPPED, ...environment },
    {
      agents,
      preload: async () => ({ names: preloaded, groups: [] }),
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

function chatAnswer(id: number, usage: object) {
  return {
    id: `chat-${id}`,
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }],
    usage,
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

/** Makes an agent one that searches in every request. */
function searchOften(agents: Agents, id: string): void {
  agents.begin(id, true);
  agents.learn({ agent: { id }, planReason: 'deferred', searches: Array(12).fill(SEARCH) });
}

const SEARCH = { outcome: 'found' as const, names: [], ms: 0 };

const later = [user('hello'), assistant('done'), user('and now?')];

describe('a request of an agent', () => {
  test('is deferred from the first one on, where that costs about as much, and says what it is expected to do', async () => {
    const record = await engine().ask([user('hello')]);
    expect(record).toMatchObject({
      planReason: 'deferred',
      agent: { isFirst: true },
    });
    expect(record.expected!.freedTokens).toBeGreaterThan(2_000);
    expect(record.expected!.bill).toBeLessThanOrEqual(1.05);
  });

  test('passes unchanged once the agent has searched often, and its record has what deferring would do, and its usage', async () => {
    const { ask, agents, sent } = engine();
    const { agent } = await ask([user('hello')]);
    searchOften(agents, agent!.id);
    const record = await ask([user('another')]);
    expect(record).toMatchObject({
      planReason: 'few_savings',
      tools: { deferred: 0 },
      usage: [{ inputTokens: 9_010, cachedInputTokens: 9_000, outputTokens: 2 }],
    });
    expect(record.expected!.bill).toBeGreaterThan(1.05);
    expect(record.expected!.freedTokens).toBeGreaterThan(2_000);
    expect(JSON.parse(String(sent.at(-1)!.body))).toEqual({ ...BODY, messages: [user('another')] });
  });

  test('is deferred by the goal `context` whatever the bill, and by `cost` only where it is lower', async () => {
    const outcome = async (goal: string) => {
      const { ask, agents } = engine({ PROXY_TOOLS_GOAL: goal });
      const { agent, planReason } = await ask([user('hello')]);
      searchOften(agents, agent!.id);
      return [planReason, (await ask([user('another')])).planReason];
    };
    expect(await outcome('context')).toEqual(['deferred', 'deferred']);
    expect(await outcome('cost')).toEqual(['few_savings', 'few_savings']);
  });

  test('is deferred where nothing is marked to be cached, so that tokens decide', async () => {
    const { ask, agents } = engine();
    const more = { system: 'short', tools: tools(60) };
    const { agent, expected } = await ask([user('hello')], more);
    expect(expected!.bill).toBeLessThan(0.7);
    for (let count = 0; count < 3; count++)
      agents.learn({ agent: agent!, planReason: 'deferred', searches: [SEARCH] });
    expect((await ask([user('another')], more)).planReason).toBe('deferred');
  });

  test('is expected to cost more where tools are preloaded or swapped', async () => {
    const billIn = async (load: string, preloaded: readonly string[] = ['tool_3', 'tool_4']) => {
      const environment = {
        PROXY_TOOLS_GOAL: 'context',
        PROXY_UPSTREAMS_ANTHROPIC_LOAD: load,
        PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '5',
      };
      return (await engine(environment, preloaded).ask([user('hello')])).expected!.bill;
    };
    expect(await billIn('native')).toBeLessThan(await billIn('swap'));
    expect(await billIn('native', [])).toBeLessThan(await billIn('native'));
  });
});

describe('a conversation', () => {
  test('keeps the choice that it has begun with, while new ones follow what was learned since', async () => {
    const { ask, agents } = engine();
    const { agent } = await ask([user('hello')]);
    searchOften(agents, agent!.id);
    const changed = await ask([user('another')]);
    expect(changed.planReason).toBe('few_savings');
    expect(changed.expected).toMatchObject({ isChange: true });
    const deferred = await ask(later);
    expect(deferred.planReason).toBe('deferred');
    expect(deferred.expected).not.toHaveProperty('isChange');
    expect((await ask([user('another'), ...later.slice(1)])).planReason).toBe('few_savings');
  });

  test('whose choice is forgotten follows the latest conversation of its agent, and decides nothing', async () => {
    const { ask, agents } = engine();
    const { agent } = await ask([user('hello')]);
    searchOften(agents, agent!.id);
    expect((await ask([user('unknown'), ...later.slice(1)])).planReason).toBe('deferred');
    expect(agents.meansOf(agent!.id).isDeferring).toBe(true);
  });

  test('whose client searches for tools itself is left alone in a request that lacks its search, too', async () => {
    const { ask } = engine();
    const searched = tools(60).map((tool) => ({ ...tool, defer_loading: true }));
    const search = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
    const first = await ask([user('hello')], { tools: [search, ...searched] });
    expect(first.planReason).toBe('client_defers');
    const compacted = [...later.slice(0, 2), user('Summarize the conversation.')];
    expect((await ask(compacted, { tools: tools(60) })).planReason).toBe('few_savings');
    expect((await ask([user('other'), ...compacted.slice(1)], { tools: tools(60) })).planReason).toBe(
      'deferred',
    );
  });

  test('begins in bridge mode where no price is known, and keeps it when the provider turns out to cache nothing', async () => {
    const uncached = {
      prompt_tokens: 9_010,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 0 },
    };
    const { post } = engine(ELSEWHERE, [], uncached);
    const planned = async (messages: object[]) => {
      const { planReason, loadMode } = await post('/v1/chat/completions', unpriced(messages, 100));
      return [planReason, loadMode];
    };
    expect(await planned([user('hello')])).toEqual(['deferred', 'bridge']);
    expect(await planned(later)).toEqual(['deferred', 'bridge']);
    expect(await planned([...later, assistant('done'), user('more')])).toEqual(['deferred', 'bridge']);
    expect(await planned([user('another')])).toEqual(['deferred', 'swap']);
    expect(await planned(later)).toEqual(['deferred', 'bridge']);
    expect(await planned([user('another'), ...later.slice(1)])).toEqual(['deferred', 'swap']);
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
});
