import { CLIENT_FORMATS } from '@winnow/conformance';
import {
  AUTOMATIC_CACHE,
  MARKED_CACHE,
  type Model,
  PromptCache,
  playModel,
  startRedis,
  withPromptCache,
} from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordsOf, startStack } from './start-stack.ts';

/** Shipped thresholds, and a search tool. */
const SETTINGS = {
  PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '5',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_DEFERRED_TOKENS: '2000',
  PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '6',
};
const VERBS = ['create', 'list', 'update', 'delete', 'archive', 'export', 'share', 'rename', 'move', 'copy'];
const THINGS = ['invoice', 'ticket', 'playlist', 'recipe', 'contact', 'parcel', 'ledger', 'branch'];
const WORDS = 'It takes every field of the record and says what changed. ';
const TURNS = 3;
const CHAT = CLIENT_FORMATS['openai-chat'];

type Format = (typeof CLIENT_FORMATS)['openai-chat' | 'openai-responses' | 'anthropic-messages'];

/** A catalogue of tools of about 150 tokens, unless it is said otherwise. */
function toolsOf(count: number, tokens = 150) {
  const names = VERBS.flatMap((verb) => THINGS.map((thing) => [verb, thing] as const)).slice(0, count);
  return names.map(([verb, thing]) => ({
    name: `${verb}_${thing}`,
    description: `${verb} one ${thing}. ${WORDS.repeat(50)}`.slice(0, tokens * 4 - 150),
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  }));
}

/** A provider at an unknown address that charges a tenth for cached input, and the bill so far. */
function providerOf(format: Format, tools: readonly { readonly name: string }[], reports = true) {
  const isMarked = format.name === 'anthropic-messages';
  let bill = 0;
  const cache = new PromptCache(isMarked ? MARKED_CACHE : AUTOMATIC_CACHE, () => 0);
  const state = { conversation: 0 };
  const play: Model = (conversation, request) => {
    const names = Array.from(
      { length: TURNS },
      (_, turn) => tools[((state.conversation * TURNS + turn) * 7) % tools.length]!.name,
    );
    const turns = names.map((name) => ({
      steps: [{ thenCall: [{ name, input: { text: 'v' } }], searchFor: [name] }],
    }));
    return playModel({ turns, searchesAgain: true })(conversation, request);
  };
  const cached = withPromptCache(play, cache, (usage) => {
    const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens } = usage;
    bill += inputTokens + 0.1 * cacheReadTokens + (isMarked ? 1.25 : 1) * cacheWriteTokens + 5 * outputTokens;
  });
  return { state, model: reports ? cached : play, bill: () => bill };
}

/** Plays one conversation of a model with a name of the gateway's own. */
async function converse(
  url: string,
  { format = CHAT, tools, key = 'key' }: Pick<Play, 'format' | 'tools' | 'key'>,
  conversation: number,
) {
  const users = Array.from(
    { length: TURNS },
    (_, turn) => `Task ${conversation}-${turn}: help the customer.`,
  );
  const system = 'You are an agent of the shop. '.repeat(300);
  let body = format.open(
    { user: users.shift()!, system, tools, isMarked: true, isStream: false },
    'ours-large',
  );
  for (;;) {
    const response = await fetch(url + format.path('ours-large', false), {
      method: 'POST',
      headers: [['content-type', 'application/json'], ...(key ? format.headers(key) : [])] as [
        string,
        string,
      ][],
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    const json = (await response.json()) as Parameters<Format['callsIn']>[0];
    const calls = format.callsIn(json);
    if (calls.length === 0 && users.length === 0) return;
    const results = calls.map((call) => ({ call, text: 'ok' }));
    body = format.proceed(body, json, calls.length > 0 ? { results } : { user: users.shift()! });
  }
}

interface Play {
  /** The client's credential; none if it is empty. */
  readonly key?: string;
  readonly format?: Format;
  readonly tools: ReturnType<typeof toolsOf>;
  readonly isDirect?: boolean;
  readonly reports?: boolean;
}

/** Returns the bill of each of six conversations, and how their requests were planned. */
async function play({ isDirect, reports, ...agent }: Play) {
  const provider = providerOf(agent.format ?? CHAT, agent.tools, reports);
  // Without a credential of the client, the proxy has one.
  const own = agent.key === '' ? { PROXY_UPSTREAMS_OPENAI_API_KEY: 'operators' } : {};
  const stack = await startStack({ settings: { ...SETTINGS, ...own }, model: provider.model });
  const bills: number[] = [];
  const plans: string[][] = [];
  for (let count = 0; count < 6; count++) {
    const [before, told] = [provider.bill(), stack.records.length];
    provider.state.conversation = count;
    await converse(isDirect ? stack.upstream.url : stack.proxyUrl, agent, count);
    if (!isDirect) await recordsOf(stack, told + 2 * TURNS);
    bills.push(provider.bill() - before);
    plans.push([
      ...new Set(
        stack.records
          .slice(told)
          .map((one) => (one.planReason === 'deferred' ? one.loadMode : one.planReason)),
      ),
    ]);
  }
  return { bills, plans };
}

describe('a model without a known price', () => {
  test.each([
    ['openai-chat', ['swap']],
    ['openai-responses', ['swap']],
    // Its client marks its prompts: it expects a cache.
    ['anthropic-messages', ['bridge', 'bridge']],
  ] as const)(
    'costs no more than directly once its searches have shown it, and the head is cached: %s',
    async (name, first) => {
      const [tools, format] = [toolsOf(40), CLIENT_FORMATS[name]];
      const through = await play({ format, tools });
      const direct = await play({ format, tools, isDirect: true });
      const ratios = through.bills.map((bill, at) => bill / direct.bills[at]!);
      const passing = Array.from({ length: 6 - first.length }, () => 'few_savings');
      expect(through.plans).toEqual([...first, ...passing].map((plan) => [plan]));
      for (const ratio of ratios.slice(first.length + 1)) expect(ratio).toBeLessThanOrEqual(1.001);
    },
  );

  test('is deferred in bridge mode where that pays, and conversations cost less', async () => {
    const tools = toolsOf(80, 300);
    const through = await play({ tools });
    const direct = await play({ tools, isDirect: true });
    expect(through.plans).toEqual([['swap'], ...Array.from({ length: 5 }, () => ['bridge'])]);
    const sum = (bills: readonly number[]) => bills.slice(2).reduce((total, bill) => total + bill, 0);
    expect(sum(through.bills)).toBeLessThan(0.9 * sum(direct.bills));
  });

  test('is swapped as long as its server reports no cached tokens', async () => {
    const { plans } = await play({ tools: toolsOf(40), reports: false });
    expect(plans).toEqual(Array.from({ length: 6 }, () => ['swap']));
  });

  test('is never in bridge mode without a credential, as its conversations could not keep that', async () => {
    const { plans } = await play({ tools: toolsOf(80, 300), key: '' });
    expect(plans[0]).toEqual(['swap']);
    expect(plans.flat()).not.toContain('bridge');
  });

  test('keeps its load mode in conversations under way, and counts with a cache that another proxy has seen', {
    tags: ['redis'],
  }, async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const tools = toolsOf(80, 300);
    const provider = providerOf(CHAT, tools);
    const settings = {
      ...SETTINGS,
      PROXY_SESSIONS_STORE: 'redis',
      PROXY_REDIS_URL: redis.url,
      PROXY_SESSIONS_SECRET: 'the-same-for-both',
    };
    const stack = await startStack({ settings, model: provider.model, proxies: 2 });
    const modes = () => [...new Set(stack.records.map(({ loadMode }) => loadMode))];
    await converse(stack.proxyUrls[0]!, { tools }, 0);
    await recordsOf(stack, 2 * TURNS);
    // The cache has shown in the second request.
    expect(modes()).toEqual(['swap']);
    await converse(stack.proxyUrls[0]!, { tools }, 1);
    await converse(stack.proxyUrls[1]!, { tools }, 2);
    await recordsOf(stack, 6 * TURNS);
    expect(stack.records.slice(2 * TURNS).map(({ loadMode }) => loadMode)).toEqual(
      Array.from({ length: 4 * TURNS }, () => 'bridge'),
    );
  });
});
