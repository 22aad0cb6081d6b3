import { type ExchangeRecord, PRICES, type SearchRecord, ToolCosts } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { createMetrics, type MeteredState } from '../src/metrics.ts';
import type { Upstream } from '../src/upstream/choose-upstream.ts';
import { VERSION } from '../src/version.ts';

const SEARCH: SearchRecord = { outcome: 'found', names: ['a'], ms: 4 };

const RECORD: ExchangeRecord = {
  version: 1,
  event: 'exchange',
  time: '1970-01-01T00:00:00.000Z',
  requestId: 'id',
  upstream: 'openai',
  format: 'openai-chat',
  model: 'a-model',
  strategy: 'api',
  arm: 'full',
  armReason: 'rollout_full',
  planReason: 'deferred',
  loadMode: 'swap',
  tools: { total: 10, deferred: 8, loaded: 3 },
  searches: [],
  upstreamCalls: 1,
  hiddenTurnsKnown: 0,
  sessionErrors: 0,
  toolBytes: { before: 4_000, after: 1_000 },
  hiddenRoundsMs: 0,
  addedMs: 0.7,
  totalMs: 100,
  outcome: 'answered',
  status: 200,
};

/** The metrics after these exchanges. */
async function after(
  records: readonly Partial<ExchangeRecord>[],
  state: Partial<MeteredState> = {},
  upstreams: ReadonlyMap<string, Upstream> = new Map(),
) {
  const metrics = createMetrics(PRICES, {
    breakerState: () => 'closed',
    meanings: () => undefined,
    isSessionStoreUp: () => true,
    openExchanges: () => 0,
    toolCosts: () => new ToolCosts().result(),
    droppedRecords: () => ({ file: 0, stdout: 0 }),
    ...state,
  });
  metrics.useUpstreams(upstreams);
  for (const record of records) metrics.count({ ...RECORD, ...record });
  return (await metrics.collect()).text;
}

/** Returns one sample, such as `name{label="value"} 1`. */
const sample = (line: string) => expect.stringContaining(`\n${line}\n`);

describe('the metrics', () => {
  test('count exchanges by arm, plan, outcome and the class of their status', async () => {
    const text = await after([
      {},
      { arm: 'shadow' },
      { status: 429 },
      { status: 503, planReason: 'few_tools' },
      { outcome: 'client_gone', status: undefined },
    ] as Partial<ExchangeRecord>[]);
    for (const line of [
      `winnow_build_info{service="proxy",version="${VERSION}"} 1`,
      'winnow_proxy_exchanges_total{format="openai-chat",arm="full",plan="deferred",outcome="answered",status="2xx"} 1',
      'winnow_proxy_exchanges_total{format="openai-chat",arm="full",plan="deferred",outcome="answered",status="4xx"} 1',
      'winnow_proxy_exchanges_total{format="openai-chat",arm="shadow",plan="deferred",outcome="answered",status="2xx"} 1',
      'winnow_proxy_exchanges_total{format="openai-chat",arm="full",plan="few_tools",outcome="answered",status="5xx"} 1',
      'winnow_proxy_exchanges_total{format="openai-chat",arm="full",plan="deferred",outcome="client_gone",status=""} 1',
    ]) {
      expect(text).toEqual(sample(line));
    }
  });

  test('count the fates of tools and tokens, and the hypothetical ones separately', async () => {
    const text = await after([{}, {}, { arm: 'dark' }]);
    for (const line of [
      'winnow_proxy_tools_total{arm="full",fate="kept"} 4',
      'winnow_proxy_tools_total{arm="full",fate="deferred"} 16',
      'winnow_proxy_tools_total{arm="full",fate="loaded"} 6',
      'winnow_proxy_tools_total{arm="dark",fate="deferred"} 8',
      'winnow_proxy_estimated_tool_tokens_total{arm="full",side="before"} 2000',
      'winnow_proxy_estimated_tool_tokens_total{arm="full",side="after"} 500',
      'winnow_proxy_estimated_tool_tokens_total{arm="dark",side="before"} 1000',
    ]) {
      expect(text).toEqual(sample(line));
    }
  });

  test('count the tokens that the provider reported, by the price they have', async () => {
    const usage = { inputTokens: 100, outputTokens: 7, cachedInputTokens: 60, cacheWriteTokens: 30 };
    const text = await after([
      { usage: [usage] },
      { usage: [{ inputTokens: 5, outputTokens: 1 }], arm: 'shadow' },
      {},
    ]);
    for (const line of [
      'winnow_proxy_provider_tokens_total{arm="full",kind="plain"} 10',
      'winnow_proxy_provider_tokens_total{arm="full",kind="cached"} 60',
      'winnow_proxy_provider_tokens_total{arm="full",kind="written"} 30',
      'winnow_proxy_provider_tokens_total{arm="full",kind="output"} 7',
      'winnow_proxy_provider_tokens_total{arm="shadow",kind="plain"} 5',
    ]) {
      expect(text).toEqual(sample(line));
    }
  });

  test('count the bill of exchanges that deferred, next to the direct one as a range', async () => {
    const usage = { inputTokens: 5_000, outputTokens: 100, cachedInputTokens: 0, cacheWriteTokens: 5_000 };
    const deferred: Partial<ExchangeRecord> = {
      model: 'claude-opus-5',
      format: 'anthropic-messages',
      usage: [usage],
      promptBytes: 20_000,
      toolBytes: { ...RECORD.toolBytes, before: 82_000, after: 2_000, first: 2_000 },
    };
    const text = await after([
      deferred,
      { ...deferred, arm: 'shadow' },
      { ...deferred, status: 529 },
      { ...deferred, tools: { total: 10, deferred: 0, loaded: 0 } },
      { ...deferred, model: 'a-model' },
    ]);
    const amount = (bill: string) =>
      Number(new RegExp(`estimated_cost_total\\{bill="${bill}",currency="USD"\\} (.*)`).exec(text)![1]);
    const spent = (5_000 * 6.25 + 100 * 25) / 1e6;
    expect(amount('spent')).toBeCloseTo(spent, 10);
    // 80,000 bytes were not sent, at 5,000 tokens for 20,000 bytes: read from a warm cache, or written.
    expect(amount('direct_low')).toBeCloseTo(((20_000 + 5_000) * 0.5 + 100 * 25) / 1e6, 10);
    expect(amount('direct_high')).toBeCloseTo(spent + (20_000 * 6.25) / 1e6, 10);
  });

  test.each<Partial<ExchangeRecord>>([
    { outcome: 'failed', status: 502 },
    { outcome: 'answered', status: 429 },
    { outcome: 'client_gone', status: undefined },
  ])('count no tokens for an exchange that ended with %o: nothing was saved', async (ending) => {
    const text = await after([{}, ending]);
    expect(text).toEqual(sample('winnow_proxy_estimated_tool_tokens_total{arm="full",side="before"} 1000'));
    expect(text).toEqual(sample('winnow_proxy_estimated_tool_tokens_total{arm="full",side="after"} 250'));
  });

  test('count searches by origin, provider and outcome; time those that were sent', async () => {
    const text = await after([
      {
        searches: [SEARCH, { ...SEARCH, outcome: 'no_match' }, { ...SEARCH, outcome: 'circuit_open', ms: 0 }],
      },
      { strategy: 'tool-search', searches: [SEARCH] },
      { arm: 'shadow', searches: [{ ...SEARCH, outcome: 'api_timeout' }], observation: { status: 'done' } },
    ]);
    const labels = (answeredBy: string, askedBy: string) =>
      `answered_by="${answeredBy}",asked_by="${askedBy}"`;
    for (const line of [
      `winnow_proxy_searches_total{${labels('selector', 'model')},outcome="found"} 1`,
      `winnow_proxy_searches_total{${labels('selector', 'model')},outcome="no_match"} 1`,
      `winnow_proxy_searches_total{${labels('selector', 'model')},outcome="circuit_open"} 1`,
      `winnow_proxy_searches_total{${labels('local', 'model')},outcome="found"} 1`,
      `winnow_proxy_searches_total{${labels('selector', 'observation')},outcome="api_timeout"} 1`,
      `winnow_proxy_search_seconds_count{${labels('selector', 'model')}} 2`,
      `winnow_proxy_search_seconds_bucket{le="0.0025",${labels('selector', 'model')}} 0`,
      `winnow_proxy_search_seconds_bucket{le="0.005",${labels('selector', 'model')}} 2`,
      `winnow_proxy_search_seconds_count{${labels('selector', 'observation')}} 1`,
    ]) {
      expect(text).toEqual(sample(line));
    }
  });

  test('count an exchange that fell back once for each reason', async () => {
    const failed = { ...SEARCH, outcome: 'api_error' } as const;
    const text = await after([
      { searches: [failed, failed, { ...SEARCH, outcome: 'limit' }] },
      { searches: [failed], restoredBecause: 'later_round_failed' },
      { planReason: 'plan_failed' },
      { searches: [SEARCH, { ...SEARCH, outcome: 'client_gone' }] },
      { arm: 'shadow', planReason: 'plan_failed', searches: [failed], observation: { status: 'done' } },
    ]);
    const counts = [...text.matchAll(/^winnow_proxy_fallbacks_total\{reason="(\w+)"\} ([1-9]\d*)$/gm)];
    expect(Object.fromEntries(counts.map(([, reason, count]) => [reason, count]))).toEqual({
      api_error: '2',
      limit: '1',
      later_round_failed: '1',
      plan_failed: '1',
    });
  });

  test.each([
    'missing_api_endpoint',
    'empty_query',
    'api_error',
    'api_timeout',
    'circuit_open',
    'empty_selection',
    'unknown_selection_names',
    'limit',
    'upstream_rejected_edit',
    'later_round_failed',
    'answer_unreadable',
    'defect',
    'plan_failed',
  ])('start the count of the fallback %s at zero', async (reason) => {
    expect(await after([])).toEqual(sample(`winnow_proxy_fallbacks_total{reason="${reason}"} 0`));
  });

  test('count observations by status, and in shadow by whether a called tool would have been missed', async () => {
    const observed = (observation: ExchangeRecord['observation']) => ({
      arm: 'shadow' as const,
      observation,
    });
    const text = await after([
      observed({ status: 'done', called: [], wouldHaveMissed: [] }),
      observed({ status: 'done', called: ['a'], wouldHaveMissed: [] }),
      observed({ status: 'done', called: ['a', 'b'], wouldHaveMissed: ['b'] }),
      observed({ status: 'dropped' }),
    ]);
    for (const labels of [
      'done",verdict="no_calls',
      'done",verdict="found',
      'done",verdict="missed',
      'dropped",verdict="',
    ])
      expect(text).toEqual(sample(`winnow_proxy_observations_total{arm="shadow",status="${labels}"} 1`));
  });

  test("time the proxy's added delay from a tenth of a millisecond", async () => {
    const text = await after([{ addedMs: 0.09 }, {}]);
    for (const line of [
      'winnow_proxy_added_seconds_bucket{le="0.0001",arm="full"} 1',
      'winnow_proxy_added_seconds_bucket{le="0.001",arm="full"} 2',
      'winnow_proxy_added_seconds_bucket{le="10",arm="full"} 2',
    ]) {
      expect(text).toEqual(sample(line));
    }
  });

  test('show the state of the proxy', async () => {
    const text = await after([], {
      breakerState: () => 'open',
      openExchanges: () => 5,
      droppedRecords: () => ({ file: 7, stdout: 9 }),
    });
    for (const line of [
      'winnow_proxy_breaker_state 2',
      'winnow_proxy_open_exchanges 5',
      'winnow_proxy_records_dropped_total{to="file"} 7',
      'winnow_proxy_records_dropped_total{to="stdout"} 9',
    ]) {
      expect(text).toEqual(sample(line));
    }
  });

  test('never name a tool, and a model only in those of the GenAI conventions', async () => {
    const text = await after([{ model: 'secret-model', searches: [{ ...SEARCH, names: ['secret-tool'] }] }]);
    const others = text.split('\n').filter((line) => !line.startsWith('gen_ai_client_'));
    expect(others.join('\n')).not.toContain('secret');
    expect(text).not.toContain('secret-tool');
  });
});

describe('the metrics of the GenAI conventions', () => {
  const LABELS = 'gen_ai_operation_name="chat",gen_ai_provider_name="azure.ai.openai"';
  const upstream = { name: 'anthropic', origin: 'https://x.openai.azure.com', vendor: { name: 'openai' } };
  const read = async (...records: Partial<ExchangeRecord>[]) => {
    const text = await after(records, {}, new Map([[RECORD.upstream, upstream as unknown as Upstream]]));
    return text.split('\n').filter((line) => /^gen_ai_client_.*_(sum|count)\{/.test(line));
  };

  test('count the tokens of every response, and the time of every exchange', async () => {
    const usage = [
      { inputTokens: 100, outputTokens: 10 },
      { inputTokens: 200, outputTokens: 20 },
    ];
    const lines = await read({ model: 'gpt-5', totalMs: 2_000, usage });
    const at = `${LABELS},gen_ai_request_model="gpt-5",server_address="x.openai.azure.com",server_port="443"`;
    expect(lines).toEqual([
      `gen_ai_client_token_usage_sum{${at},gen_ai_token_type="input"} 300`,
      `gen_ai_client_token_usage_count{${at},gen_ai_token_type="input"} 2`,
      `gen_ai_client_token_usage_sum{${at},gen_ai_token_type="output"} 30`,
      `gen_ai_client_token_usage_count{${at},gen_ai_token_type="output"} 2`,
      `gen_ai_client_operation_duration_seconds_sum{${at},error_type=""} 2`,
      `gen_ai_client_operation_duration_seconds_count{${at},error_type=""} 1`,
    ]);
  });

  test('tell errors by status or code, and no model that a provider has not answered for', async () => {
    const lines = await read(
      { model: 'made-up', status: 404 },
      { model: 'gpt-5', status: 200 },
      { model: 'gpt-5', status: 529 },
      { model: 'gpt-5', outcome: 'failed', status: 502, cause: 'ECONNREFUSED' },
      { model: 'gpt-5', outcome: 'client_gone', status: undefined },
    );
    const counts = lines.filter((line) => line.includes('seconds_count'));
    const seen = counts.map((line) => /model="([^"]*)".*error_type="([^"]*)"\} (\d+)/.exec(line)!.slice(1));
    expect(seen).toEqual([
      ['other', '404', '1'],
      ['gpt-5', '', '2'],
      ['gpt-5', '529', '1'],
      ['gpt-5', 'ECONNREFUSED', '1'],
    ]);
  });

  test('name a hundred models, however many clients make up', async () => {
    const lines = await read(...Array.from({ length: 150 }, (_, number) => ({ model: `model-${number}` })));
    const counts = lines.filter((line) => line.includes('seconds_count'));
    expect(counts).toHaveLength(101);
    expect(counts.at(-1)).toMatch(/gen_ai_request_model="other".* 50$/);
    expect(await read({ model: 'a "quoted" text\n' })).toContainEqual(expect.stringContaining('"other"'));
  });
});

describe('the metrics of MCP servers', () => {
  test('add up the tools of each, and of all that are too many as one', async () => {
    const costs = new ToolCosts();
    const names = Array.from({ length: 60 }, (_, number) => `server${number}__a`);
    costs.addList(
      'a',
      [...names, 'read', 'x y__b'].map((name) => ({ name, bytes: 40, kept: true as const })),
    );
    costs.add({ ...RECORD, planReason: 'deferred', toolList: { id: 'a' }, called: ['read'] });
    const text = await after([], { toolCosts: () => costs.result() });
    const lines = text.split('\n').filter((line) => line.startsWith('winnow_proxy_server_tools{'));
    expect(lines).toHaveLength(52);
    expect(lines).toContain('winnow_proxy_server_tools{server="other"} 11');
    expect(text).toContain('winnow_proxy_server_uncalled_tools{server="none"} 0');
  });
});
