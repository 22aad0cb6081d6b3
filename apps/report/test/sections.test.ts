import { type StoredRecord, toolTokens, totalUsage } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { searchesPart } from '../src/tables/searches-part.ts';
import { makeRecords } from './make-records.ts';
import { reportOn } from './report-on.ts';

/** A mixed period: every arm, failures, misses. What is expected is computed anew, from all records at once. */
const RECORDS = makeRecords({
  seed: 42,
  exchanges: 3_000,
  reasons: [
    'rollout_off',
    'rollout_dark',
    'inside_percent',
    'outside_percent',
    'outside_percent',
    'overridden',
  ],
  failureShare: 0.05,
  missShare: 0.2,
});
const REPORT = reportOn(RECORDS);

const full = RECORDS.filter(({ arm }) => arm === 'full');
const watched = RECORDS.filter(({ arm }) => arm === 'dark' || arm === 'shadow');
const deferring = full.filter(({ tools }) => tools.deferred > 0);
const searches = full.flatMap((record) => record.searches);
const observations = watched.flatMap(({ observation, searches: [search] }) =>
  observation === undefined ? [] : { ...observation, search },
);
const isAnswered = (outcome: string) => outcome === 'found' || outcome === 'no_match';
const judged = observations.filter(
  ({ called = [], search }) => called.length > 0 && search !== undefined && isAnswered(search.outcome),
);

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}

test('the made-up records hold every case', () => {
  expect(deferring.length).toBeGreaterThan(300);
  expect(judged.length).toBeGreaterThan(300);
  expect(observations.some(({ search }) => search !== undefined && !isAnswered(search.outcome))).toBe(true);
  expect(full.some(({ restoredBecause }) => restoredBecause !== undefined)).toBe(true);
});

describe('traffic', () => {
  test('counts exchanges by arm, reason, outcome, format, upstream and model', () => {
    const { traffic } = REPORT;
    expect(traffic.exchanges).toBe(3_000);
    expect(traffic.from).toBe(RECORDS[0]!.time);
    expect(traffic.to).toBe(RECORDS.at(-1)!.time);
    expect(traffic.arms).toEqual(countBy(RECORDS, ({ arm }) => arm));
    expect(traffic.armReasons).toEqual(countBy(RECORDS, ({ armReason }) => armReason));
    expect(traffic.outcomes.full).toEqual(countBy(full, ({ outcome }) => outcome));
    for (const [names, key] of [
      [traffic.formats, (record: StoredRecord) => record.format],
      [traffic.upstreams, (record: StoredRecord) => record.upstream],
      [traffic.models, (record: StoredRecord) => record.model!],
    ] as const) {
      expect(Object.fromEntries(names.top.map(({ name, count }) => [name, count]))).toEqual(
        countBy(RECORDS, key),
      );
    }
  });

  test('counts profiles where requests matched one', () => {
    const matched = (profile: string) => ({ ...RECORDS[0]!, profile });
    const { traffic } = reportOn([matched('coder'), RECORDS[0]!, matched('chat'), matched('coder')]);
    expect(traffic.profiles.top).toMatchObject([
      { name: 'coder', count: 2 },
      { name: 'chat', count: 1 },
    ]);
  });

  test('looks at plans outside of arm off only', () => {
    const looked = RECORDS.filter(({ arm }) => arm !== 'off');
    expect(
      Object.fromEntries(REPORT.traffic.planReasons.top.map(({ name, count }) => [name, count])),
    ).toEqual(countBy(looked, ({ planReason }) => planReason));
  });
});

describe('tools', () => {
  test('sums tokens before and after, for changed and for watched exchanges apart', () => {
    const tokens = (records: readonly StoredRecord[]) => ({
      before: sum(records.filter(isGood), ({ toolBytes }) => toolTokens(toolBytes.before)),
      after: sum(records.filter(isGood), ({ toolBytes }) => toolTokens(toolBytes.after)),
    });
    const isGood = ({ outcome, status }: StoredRecord) => outcome === 'answered' && status === 200;
    expect(REPORT.tools.changed.tokens).toEqual(tokens(full));
    expect(REPORT.tools.changed.deferringTokens).toEqual(tokens(deferring));
    expect(REPORT.tools.watched.tokens).toEqual(tokens(watched));
    expect(REPORT.tools.changed.exchanges).toBe(full.length);
    expect(REPORT.tools.changed.deferring).toBe(deferring.length);
  });

  test('leave out exchanges that were not read', () => {
    const read = watched.find(({ tools }) => tools.deferred > 0)!;
    const unread: StoredRecord = {
      ...read,
      planReason: 'not_read',
      tools: { total: 0, deferred: 0, loaded: 0 },
      toolBytes: { before: 0, after: 0 },
      searches: [],
      observation: { status: 'dropped' },
    };
    const { tools, traffic, watching } = reportOn([read, unread]);
    expect(tools.watched).toMatchObject({ exchanges: 1, deferring: 1 });
    expect(traffic).toMatchObject({ exchanges: 2 });
    expect(watching.dropped).toMatchObject({ part: 1, whole: 2 });
  });

  test('puts every exchange into one class of sizes', () => {
    const { sizes } = REPORT.tools.changed;
    expect(sum(sizes, ({ count }) => count)).toBe(full.length);
    expect(sizes.find(({ label }) => label === '≤10')?.count).toBe(
      full.filter(({ tools }) => tools.total > 5 && tools.total <= 10).length,
    );
  });

  test('lists what of always_keep was for no tool of any request', () => {
    const [record] = full;
    const keeping = (alwaysKeep: Record<string, number>): StoredRecord => ({ ...record!, alwaysKeep });
    const report = reportOn([
      keeping({ read: 1, 'mcp__*': 0, gone: 0 }),
      keeping({ read: 0, 'mcp__*': 3, gone: 0 }),
      record!,
    ]);
    expect(report.tools.keepingNothing).toEqual(['gone']);
    expect(report.verdict.notes.join()).toContain(
      'always_keep has entries that match no tool of any request: gone.',
    );
    expect(REPORT.tools.keepingNothing).toEqual([]);
  });

  test('sums usage by arm where an upstream told it', () => {
    const told = full.flatMap(({ usage }) => totalUsage(usage) ?? []);
    expect(REPORT.tools.usage.full).toEqual({
      exchanges: told.length,
      inputTokens: sum(told, ({ inputTokens }) => inputTokens),
      outputTokens: sum(told, ({ outputTokens }) => outputTokens),
    });
  });
});

describe('searches', () => {
  test('counts searches by models apart from those alongside requests', () => {
    const alongside = observations.flatMap(({ search }) => search ?? []);
    expect(REPORT.searches.results.outcomes).toEqual(countBy(searches, ({ outcome }) => outcome));
    expect(REPORT.watching.searches.outcomes).toEqual(countBy(alongside, ({ outcome }) => outcome));
    expect(REPORT.searches.exchangesWithSearch).toBe(
      full.filter((record) => record.searches.length > 0).length,
    );
    expect(REPORT.searches.possible).toBe(deferring.length);
    expect(REPORT.searches.upstreamCalls).toEqual(
      countBy(deferring, ({ upstreamCalls }) => String(upstreamCalls)),
    );
  });

  test('ranks the tools that were found', () => {
    const names = searches.filter(({ outcome }) => outcome === 'found').flatMap((search) => search.names);
    const expected = Object.entries(countBy(names, (name) => name)).sort(
      ([a, x], [b, y]) => y - x || (a < b ? -1 : 1),
    );
    const { top } = REPORT.searches.results.mostFound;
    expect(top.map(({ name, count }) => [name, count])).toEqual(expected.slice(0, 15));
  });

  const search = (outcome: string) => ({ outcome, names: [], ms: 1 });
  const asked = (...made: ReturnType<typeof search>[]): StoredRecord => ({
    ...deferring[0]!,
    searches: made,
  });
  const textOf = (records: readonly StoredRecord[]) => searchesPart(reportOn(records)).sentences.join(' ');

  test('counts searches without a certain match, and says where their texts are', () => {
    const records = [
      asked(search('no_match'), search('found')),
      asked(search('weak'), search('limit'), search('api_error')),
      { ...asked(search('no_match')), arm: 'dark' as const, observation: { status: 'done' as const } },
    ];
    expect(reportOn(records).searches.results.inVain).toBe(2);
    expect(textOf(records)).toContain(
      '3 of 6 searches found no certain match. Their texts are recorded with',
    );
    expect(textOf([asked(search('found'))])).not.toContain('no certain match');
  });
});

describe('failures', () => {
  const [record] = full;
  const failing = (more: Partial<StoredRecord>): StoredRecord => ({
    ...record!,
    upstream: 'openai',
    ...more,
  });

  test.each<[string, Partial<StoredRecord>]>([
    ['openai 502 ECONNREFUSED', { outcome: 'failed', status: 502, cause: 'ECONNREFUSED' }],
    ['openai 429', { outcome: 'answered', status: 429 }],
    [
      'openai 200 529',
      { outcome: 'failed', status: 200, failedRounds: [{ reason: 'refused', cause: '529' }] },
    ],
    ['openai 200 truncated', { outcome: 'failed', status: 200, failedRounds: [{ reason: 'truncated' }] }],
    ['openai 200 broke off', { outcome: 'failed', status: 200 }],
  ])('are told with their cause: %s', (cause, more) => {
    const { top } = reportOn([failing(more), failing({ outcome: 'answered', status: 200 })]).traffic
      .failureCauses;
    expect(top.map(({ name, count }) => [name, count])).toEqual([[cause, 1]]);
  });

  test('of searches are shown with the status of the selector, or the connection error', () => {
    const search = { outcome: 'api_error', names: [], ms: 1 };
    const searches = [
      { ...search, cause: '401' },
      { ...search, cause: '401' },
      { ...search, cause: 'ENOTFOUND' },
      { ...search, outcome: 'api_timeout' },
    ];
    const { failedSearchCauses } = reportOn([failing({ searches })]).fallbacks;
    expect(failedSearchCauses.top.map(({ name, count }) => [name, count])).toEqual([
      ['api_error 401', 2],
      ['api_error ENOTFOUND', 1],
      ['api_timeout', 1],
    ]);
  });
});

describe('fallbacks', () => {
  test('count reasons that are not known as one, and a search that ended in one as failed', () => {
    const record = RECORDS.find(({ arm, tools }) => arm === 'full' && tools.deferred > 0)!;
    const search = { outcome: 'of_tomorrow', names: [], ms: 1 };
    const strange = (number: number): StoredRecord => ({
      ...record,
      armReason: `arm_${number}`,
      restoredBecause: `restored_${number}`,
      searches: [{ ...search, outcome: `search_${number}` }],
    });
    const { fallbacks, searches, traffic } = reportOn([strange(1), strange(2)]);
    expect(fallbacks.failedSearches).toMatchObject({ part: 2, whole: 2 });
    expect(fallbacks.failedSearchReasons).toEqual({ unknown: 2 });
    expect(fallbacks.restoredReasons).toEqual({ unknown: 2 });
    expect(searches.results.outcomes).toEqual({ unknown: 2 });
    expect(traffic.armReasons).toEqual({ unknown: 2 });
  });

  test('are rates of what they could have happened to', () => {
    const failed = searches.filter(({ outcome }) => !isAnswered(outcome));
    expect(REPORT.fallbacks.failedSearches).toMatchObject({ part: failed.length, whole: searches.length });
    expect(REPORT.fallbacks.failedSearchReasons).toEqual(countBy(failed, ({ outcome }) => outcome));
    expect(REPORT.fallbacks.restored).toMatchObject({
      part: deferring.filter(({ restoredBecause }) => restoredBecause !== undefined).length,
      whole: deferring.length,
    });
    expect(REPORT.fallbacks.sessionErrors).toMatchObject({
      part: full.filter(({ sessionErrors }) => sessionErrors > 0).length,
      whole: full.length,
    });
  });

  test('leave searches aside whose client had left', () => {
    const record = deferring.find((candidate) => candidate.searches.length === 1)!;
    const gone = { ...record.searches[0]!, outcome: 'client_gone' as const };
    const { fallbacks, searches } = reportOn([{ ...record, searches: [gone] }]);
    expect(fallbacks.failedSearches.whole).toBe(0);
    expect(fallbacks.failedOpen.part).toBe(0);
    expect(searches.results.outcomes).toEqual({ client_gone: 1 });
  });
});

describe('latency', () => {
  test('has percentiles near the exact ones, over the exchanges that each part concerns', () => {
    const nearest = (values: number[], share: number) =>
      values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1]!;
    const { added, hiddenRounds } = REPORT.latency.full!;
    const exact = nearest(
      full.map(({ addedMs }) => addedMs),
      0.95,
    );
    expect(Math.abs(added.p95 - exact) / exact).toBeLessThan(0.0011);
    expect(hiddenRounds.count).toBe(full.filter(({ hiddenRoundsMs }) => hiddenRoundsMs > 0).length);
  });
});

describe('watching', () => {
  test('counts every exchange of dark and shadow, observed or not', () => {
    const { observation: _, ...record } = watched[0]!;
    const spared: StoredRecord = { ...record, observation: { status: 'not_applicable' } };
    expect(REPORT.watching.exchanges).toBe(watched.length);
    expect(reportOn([record, spared, watched[0]!]).watching.exchanges).toBe(3);
  });

  test('judges calls by exchange and by call, where the search was answered', () => {
    const missed = judged.filter(({ wouldHaveMissed = [] }) => wouldHaveMissed.length > 0);
    expect(REPORT.watching.missedExchanges).toMatchObject({ part: missed.length, whole: judged.length });
    expect(REPORT.watching.missedCalls).toMatchObject({
      part: sum(judged, ({ wouldHaveMissed = [] }) => wouldHaveMissed.length),
      whole: sum(judged, ({ called = [] }) => called.length),
    });
    const withCall = observations.filter(({ called = [] }) => called.length > 0);
    expect(REPORT.watching.notJudged).toBe(withCall.length - judged.length);
    expect(REPORT.watching.notJudged).toBeGreaterThan(0);
  });

  test('judges calls of the strategy relevance, which has no searches', () => {
    const { search: _, ...observation } = judged.find(
      ({ wouldHaveMissed = [] }) => wouldHaveMissed.length > 0,
    )!;
    const record = { ...watched[0]!, strategy: 'relevance' as const, searches: [], observation };
    expect(reportOn([record]).watching).toMatchObject({
      missedExchanges: { part: 1, whole: 1 },
      notJudged: 0,
    });
  });

  test('ranks the tools most often missed, with the number of their calls', () => {
    const missed = countBy(
      judged.flatMap(({ wouldHaveMissed = [] }) => wouldHaveMissed),
      (name) => name,
    );
    const called = countBy(
      judged.flatMap(({ called: names = [] }) => names),
      (name) => name,
    );
    for (const tool of REPORT.watching.mostMissed) {
      expect(tool).toEqual({ name: tool.name, missed: missed[tool.name], called: called[tool.name] });
    }
    expect(REPORT.watching.mostMissed[0]!.missed).toBe(Math.max(...Object.values(missed)));
  });

  test('counts what became of observations', () => {
    expect(REPORT.watching.statuses).toEqual(countBy(observations, ({ status }) => status));
    const possible = observations.filter(({ status }) => status !== 'not_applicable');
    expect(REPORT.watching.dropped).toMatchObject({
      part: observations.filter(({ status }) => status === 'dropped').length,
      whole: possible.length,
    });
  });
});

describe('sessions', () => {
  test('are distinguished, with the arms that each was seen in', () => {
    const known = RECORDS.filter(({ session }) => session !== undefined);
    expect(REPORT.sessions).toMatchObject({
      count: new Set(known.map(({ session }) => session)).size,
      isExact: true,
      inSeveralArms: 0,
      exchangesWithoutSession: RECORDS.length - known.length,
    });
  });

  test('that changed their arm are counted, unless a request chose it', () => {
    const [first] = full;
    const session = 'abc';
    const shadow = { ...first!, session, arm: 'shadow', armReason: 'outside_percent' } as const;
    const changed = { ...first!, session, arm: 'full', armReason: 'inside_percent' } as const;
    const chosen = { ...changed, armReason: 'overridden' } as const;
    expect(reportOn([shadow, changed]).sessions.inSeveralArms).toBe(1);
    expect(reportOn([shadow, chosen]).sessions.inSeveralArms).toBe(0);
  });
});

test('the order of the records changes nothing', () => {
  // But for the last digits of sums.
  const rounded = (report: typeof REPORT): unknown =>
    JSON.parse(
      JSON.stringify(report, (_, value) =>
        typeof value === 'number' ? Number(value.toPrecision(9)) : value,
      ),
    );
  expect(rounded(reportOn(RECORDS.toReversed()))).toEqual(rounded(REPORT));
});
