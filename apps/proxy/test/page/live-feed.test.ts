import { type ExchangeRecord, PRICES } from '@winnow/core';
import type { ExchangeRow } from '@winnow/service';
import { TokenSet } from '@winnow/service';
import type { ToolEntry } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { ClientAccess } from '../../src/edge/client-access.ts';
import { LiveFeed } from '../../src/page/live-feed.ts';
import { pageRefusal } from '../../src/page/live-page.ts';
import { listFates, toolFates } from '../../src/page/tool-fates.ts';
import type { ExchangeFact } from '../../src/records/exchange-fact.ts';
import { recordLine } from '../../src/records/record-sink.ts';

const RECORD: ExchangeRecord = {
  version: 1,
  event: 'exchange',
  time: '2026-11-22T08:00:00.000Z',
  requestId: 'r',
  upstream: 'anthropic',
  format: 'anthropic-messages',
  model: 'claude-opus-5',
  strategy: 'tool-search',
  arm: 'full',
  armReason: 'rollout_full',
  planReason: 'deferred',
  loadMode: 'swap',
  tools: { total: 100, deferred: 95, loaded: 0 },
  searches: [],
  upstreamCalls: 1,
  promptBytes: 20_000,
  hiddenTurnsKnown: 0,
  sessionErrors: 0,
  toolBytes: {
    before: 82_000,
    after: 2_000,
    first: 2_000,
  },
  usage: [{ inputTokens: 5_000, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 }],
  hiddenRoundsMs: 0,
  addedMs: 2,
  totalMs: 100,
  status: 200,
  outcome: 'answered',
};
const search = (outcome: 'found' | 'api_error' | 'limit') => ({
  outcome,
  names: [],
  ms: 1,
});
const feed = () => new LiveFeed({ prices: PRICES, since: 7 });
const add = (live: LiveFeed, record: ExchangeRecord) => live.takeRecord(record, recordLine(record));
const take = (live: LiveFeed, requestId: string, facts: Parameters<LiveFeed['takeFacts']>[1]) => {
  live.takeFacts(requestId, facts);
  add(live, { ...RECORD, requestId });
};

describe('the feed', () => {
  test('counts events since the start', () => {
    const live = feed();
    add(live, { ...RECORD, searches: [search('found'), search('api_error'), search('limit')] });
    add(live, { ...RECORD, status: 529 });
    add(live, { ...RECORD, outcome: 'client_gone', status: undefined });
    add(live, { ...RECORD, arm: 'shadow' });
    add(live, { ...RECORD, model: 'llama' });
    expect(live.totals).toEqual({
      since: 7,
      exchanges: 5,
      deferring: 4,
      failed: 1,
      tokensBefore: 41_000,
      tokensAfter: 1_000,
      deferredWell: 2,
      leftAlone: { exchanges: 0, freedTokens: 0, bill: 0 },
      searches: 3,
      failedSearches: 1,
      vainSearches: 0,
      addedMs: 8,
      saved: { low: expect.closeTo(0.1, 10), high: expect.closeTo(0.1, 10) },
      estimated: 1,
      currency: 'USD',
    });
  });

  test('reports what the last exchange showed of each upstream', () => {
    const live = feed();
    add(live, { ...RECORD, outcome: 'failed', status: 502, cause: 'ECONNREFUSED' });
    add(live, { ...RECORD, upstream: 'openai', status: 400 });
    add(live, { ...RECORD, upstream: 'openai', outcome: 'client_gone', status: undefined });
    expect(live.upstreams).toMatchObject([
      { name: 'anthropic', isWorking: false, status: 502, cause: 'ECONNREFUSED' },
      { name: 'openai', isWorking: true, status: 400 },
    ]);
  });

  test('holds the last 10,000 records, with their rows in order', () => {
    const live = feed();
    for (let id = 0; id < 10_450; id++) add(live, { ...RECORD, requestId: String(id) });
    const rows = [...live.rows].map((row) => JSON.parse(row) as ExchangeRow);
    expect([rows.length, rows[0], rows.at(-1)]).toMatchObject([
      10_000,
      { n: 450, id: '450' },
      { n: 10_449, id: '10449', tools: 100, shown: 5, deferred: 95, rounds: 1, isFailed: false },
    ]);
    expect([
      live.detailsOf('300'),
      live.detailsOf('450')?.record,
      live.detailsOf('10449')?.record,
    ]).toMatchObject([undefined, { requestId: '450' }, { requestId: '10449', totalMs: 100 }]);
  });

  test('forgets dropped records, also where shorter ones took their place', () => {
    const live = feed();
    const model = 'x'.repeat(200);
    for (let id = 0; id < 64; id++) add(live, { ...RECORD, model, requestId: String(id) });
    expect(live.detailsOf('63')?.record).toMatchObject({ model });
    for (let id = 64; id < 10_450; id++) add(live, { ...RECORD, requestId: String(id) });
    expect([live.detailsOf('0'), live.detailsOf('63')]).toEqual([undefined, undefined]);
  });

  test('tells in a row what the exchange cost and saved, and cuts a long name', () => {
    const live = feed();
    add(live, { ...RECORD, model: 'x'.repeat(1_000_000) });
    add(live, RECORD);
    const [long, priced] = [...live.rows].map((row) => JSON.parse(row) as ExchangeRow);
    expect([long!.model!.length, long!.cost, long!.savedLow]).toEqual([101, undefined, undefined]);
    expect(priced).toMatchObject({
      cost: expect.closeTo(0.025, 10),
      savedLow: expect.closeTo(0.1, 10),
      savedHigh: expect.closeTo(0.1, 10),
    });
  });

  test('sends each watcher the rows since it came, none twice, until it leaves', () => {
    const live = feed();
    add(live, RECORD);
    const view = live.watch();
    expect(view.next()).toEqual([]);
    add(live, { ...RECORD, requestId: 'second' });
    add(live, { ...RECORD, requestId: 'third' });
    expect(view.next().map((row) => (JSON.parse(row) as ExchangeRow).id)).toEqual(['second', 'third']);
    expect(view.next()).toEqual([]);
    const other = live.watch();
    expect([other.next(), live.watchers]).toEqual([[], 2]);
    for (const one of [view, other]) one.leave();
    expect(live.watchers).toBe(0);
  });

  test('holds the names of tools before anyone watches, and no search', () => {
    const live = feed();
    live.takeFacts('1', [planned(['a', 'b'], ['b']), fact({ kind: 'searching', queries: ['b'] })]);
    add(live, { ...RECORD, requestId: '1' });
    expect(live.detailsOf('1')).toMatchObject({
      tools: [
        { name: 'a', fate: 'kept' },
        { name: 'b', fate: 'deferred' },
      ],
      searched: undefined,
    });
  });

  test('holds 50,000 tools in all, the latest, and no list of endless names', () => {
    const live = feed();
    const many = Array.from({ length: 5_000 }, (_, number) => `tool_${number}`);
    for (let id = 0; id < 15; id++) take(live, String(id), [planned(many, many)]);
    expect([live.detailsOf('4')?.tools, live.detailsOf('5')?.tools?.length]).toEqual([undefined, 5_000]);
    take(live, 'long', [planned(['x'.repeat(200_001)], [])]);
    expect(live.detailsOf('long')!.tools).toBeUndefined();
    for (let id = 0; id < 101; id++) take(live, `small ${id}`, [planned(['a'], [])]);
    expect(live.detailsOf('14')!.tools).toBeUndefined();
    take(live, 'again', [planned(many, many)]);
    expect(live.detailsOf('small 2')!.tools).toBeDefined();
  });

  test('holds the tools of 100 exchanges, and the searches of ten', () => {
    const live = feed();
    live.watch();
    const facts = [planned(['a', 'b', 'c'], ['b', 'c']), fact({ kind: 'searching', queries: ['b'] })];
    for (let id = 0; id < 150; id++) take(live, String(id), facts);
    expect([live.detailsOf('49')!.tools, live.detailsOf('50')?.tools?.length]).toEqual([undefined, 3]);
    expect([live.detailsOf('139')!.searched, live.detailsOf('140')!.searched?.queries]).toEqual([
      undefined,
      ['b'],
    ]);
  });
});

const fact = (one: ExchangeFact) => ({ at: 0, fact: one });
const entry = (name: string | undefined, more: Partial<ToolEntry> = {}): ToolEntry =>
  ({
    name,
    kind: 'function',
    isCacheMarked: false,
    description: '',
    definition: {},
    text: '',
    ...more,
  }) as ToolEntry;

function planned(names: readonly (string | ToolEntry)[], defer: readonly string[], more: object = {}) {
  const entries = names.map((name) => (typeof name === 'string' ? entry(name) : name));
  const look = {
    plan: { loadMode: 'swap', defer, load: [], searchTool: undefined, reason: 'deferred' },
    section: { text: '', value: [], lists: [], entries },
    preloaded: [],
    chosen: [],
    ...more,
  };
  const tools = { counts: RECORD.tools, bytesBefore: 0, bytesAfter: 0 };
  const alwaysKeep = { 'mcp__*': 1 };
  return fact({
    kind: 'planned',
    reason: 'deferred',
    loadMode: 'swap',
    tools,
    alwaysKeep,
    look,
  } as ExchangeFact);
}

describe('the fate of a tool', () => {
  test('names the first rule that keeps it', () => {
    const tools = [
      entry('web', { kind: 'other' }),
      entry('marked', { isCacheMarked: true }),
      'ask_user',
      'mcp__a',
      'pre',
      'forced',
      'said',
      'rest',
    ];
    const plan = { loadMode: 'native', defer: ['pre', 'rest'], load: ['pre'], reason: 'deferred' };
    const facts = [planned(tools, [], { plan, preloaded: ['pre'], chosen: ['forced'] })];
    expect(listFates(toolFates(facts)!).map(({ name, fate, why }) => [name, fate, why])).toEqual([
      ['web', 'kept', 'not_a_function'],
      ['marked', 'kept', 'cache_marked'],
      ['ask_user', 'kept', 'interaction'],
      ['mcp__a', 'kept', 'always_keep'],
      ['pre', 'loaded', 'preloaded'],
      ['forced', 'kept', 'chosen'],
      ['said', 'kept', 'named'],
      ['rest', 'deferred', 'searchable'],
    ]);
  });

  test('distinguishes tools that were loaded before, found now, or shown because a search failed', () => {
    const plan = {
      loadMode: 'swap',
      defer: ['a', 'b', 'c', 'd'],
      load: ['a'],
      searchTool: undefined,
      reason: 'deferred',
    };
    const searched: ExchangeFact = {
      kind: 'searched',
      searches: [{ ...search('found'), names: ['b'] }],
    };
    const facts = [
      planned(['a', 'b', 'c', 'd'], [], { plan }),
      fact(searched),
      fact({
        kind: 'loaded',
        names: ['a', 'b', 'c'],
        tools: { counts: RECORD.tools, bytesBefore: 0, bytesAfter: 0 },
      }),
    ];
    expect(listFates(toolFates(facts)!).map(({ fate, why }) => [fate, why])).toEqual([
      ['loaded', 'loaded_before'],
      ['loaded', 'found'],
      ['loaded', 'restored'],
      ['deferred', 'searchable'],
    ]);
  });

  test('is unknown without a plan', () => {
    expect(toolFates([fact({ kind: 'received' })])).toBeUndefined();
  });
});

describe('the page is shown', () => {
  const rules = { tokens: [], allowedHosts: ['proxy.example'], allowedOrigins: [] };
  const refusal = (
    address: string,
    tokens: string[] = [],
    headers: Record<string, string> = {},
    pageTokens: string[] = [],
  ) =>
    pageRefusal(
      { headers, socket: { remoteAddress: address } },
      { clients: new ClientAccess({ ...rules, tokens }), pageTokens: new TokenSet(pageTokens) },
    )?.status;

  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.1.2.3'])('to this machine: %s', (address) => {
    expect(refusal(address, [], { host: 'localhost:8787' })).toBeUndefined();
  });

  test.each(['192.168.1.7', '::ffff:10.0.0.1', 'fe80::1', ''])(
    'to no other without a token: %s',
    (address) => {
      expect(refusal(address, [], { host: 'proxy.example' })).toBe(403);
      expect(refusal(address, ['token-one'])).toBe(401);
      expect(refusal(address, ['token-one'], { 'x-winnow-token': 'token-one' })).toBeUndefined();
    },
  );

  test('to everyone with the token of the page, wherever they are, and to this machine without it', () => {
    const headers = { host: 'proxy.internal', 'x-winnow-token': 'of-the-page' };
    expect(refusal('172.18.0.1', [], headers, ['of-the-page'])).toBeUndefined();
    expect(refusal('172.18.0.1', ['token-one'], headers, ['of-the-page'])).toBeUndefined();
    expect(refusal('172.18.0.1', [], { 'x-winnow-token': 'another' }, ['of-the-page'])).toBe(401);
    expect(refusal('127.0.0.1', [], { host: 'localhost' }, ['of-the-page'])).toBeUndefined();
    expect(refusal('127.0.0.1', [], { host: 'rebound.example' }, ['of-the-page'])).toBe(401);
  });
});

test('counts what was left alone, with what deferring was expected to free and to cost', () => {
  const live = feed();
  const expected = { freedTokens: 9_000, bill: 1.08, requests: 8, searches: 2 };
  const tools = { total: 100, deferred: 0, loaded: 0 };
  add(live, { ...RECORD, tools, planReason: 'few_savings', expected });
  add(live, { ...RECORD, tools, planReason: 'few_tools' });
  expect(live.totals.leftAlone).toEqual({ exchanges: 1, freedTokens: 9_000, bill: 1.08 });
});
