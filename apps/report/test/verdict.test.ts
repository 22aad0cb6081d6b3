import { PassThrough } from 'node:stream';
import type { RolloutReason, StoredRecord } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { renderText } from '../src/terminal/render-text.ts';
import { makeRecords, type RecordPlan } from './make-records.ts';
import { reportOn } from './report-on.ts';

const NO_TERMINAL = new PassThrough() as unknown as NodeJS.WriteStream;

const verdictOn = (records: readonly StoredRecord[]) => reportOn(records).verdict;
const verdicts = new Map<string, ReturnType<typeof verdictOn>>();

/** The verdict on made-up records, worked out once for each plan. */
function verdictOf(reasons: readonly RolloutReason[], changes: Partial<RecordPlan> = {}) {
  const plan = { seed: 9, exchanges: 1_500, failureShare: 0, missShare: 0.02, reasons, ...changes };
  const key = JSON.stringify(plan);
  const verdict = verdicts.get(key) ?? verdictOn(makeRecords(plan));
  verdicts.set(key, verdict);
  return verdict;
}

const stateOf = (verdict: ReturnType<typeof verdictOf>, subject: RegExp) =>
  verdict.findings.find((finding) => subject.test(finding.subject))?.state;

describe('the verdict', () => {
  test.each([
    [['rollout_off'], 'off', 'dark'],
    [['rollout_dark'], 'dark', 'shadow'],
    [['rollout_shadow'], 'shadow', 'partial'],
    [['inside_percent', 'outside_percent'], 'partial', 'full'],
  ] as const)('on %s is about the step from %s to %s', (reasons, step, next) => {
    expect(verdictOf(reasons)).toMatchObject({ step, next });
  });

  test('at the last step is about staying there', () => {
    const verdict = verdictOf(['rollout_full']);
    expect(verdict.next).toBeUndefined();
    expect(verdict.summary).toContain('staying at full');
  });

  test('without a record that tells the step says so', () => {
    expect(verdictOn([])).toMatchObject({ state: 'unclear', findings: [] });
    expect(verdictOf(['switched_off']).step).toBeUndefined();
  });

  test('is clear when every number keeps its limit with certainty', () => {
    const verdict = verdictOf(['rollout_shadow']);
    expect(verdict.findings.map(({ subject, state }) => [subject, state])).toEqual(
      verdict.findings.map(({ subject }) => [subject, 'clear']),
    );
    expect(verdict).toMatchObject({
      state: 'clear',
      summary: 'Nothing blocks the step from shadow to partial.',
    });
  });

  test('reads nothing into few observations, be they ever so good', () => {
    const verdict = verdictOf(['rollout_shadow'], { exchanges: 12, missShare: 0 });
    expect(verdict.state).toBe('unclear');
    expect(verdict.summary).toContain('Gather more traffic');
  });

  test('is against a step when tools would be missed too often', () => {
    const verdict = verdictOf(['rollout_shadow'], { missShare: 0.3 });
    expect(stateOf(verdict, /would have missed/)).toBe('against');
    expect(verdict.state).toBe('against');
    expect(verdict.summary).toBe('One metric blocks the step from shadow to partial.');
  });

  test('sets what relevance would have missed against all that was watched, as what it misses is all that can be judged', () => {
    const plan = { seed: 8, exchanges: 4_000, failureShare: 0, missShare: 0.02 };
    const records = makeRecords({ ...plan, reasons: ['rollout_shadow'] }).flatMap(
      (record): StoredRecord[] => {
        if (record.observation === undefined) return [];
        const { called: _, ...observation } = record.observation;
        const missed = observation.wouldHaveMissed ?? [];
        return [
          { ...record, strategy: 'relevance', searches: [], observation: { ...observation, called: missed } },
        ];
      },
    );
    const { watching, verdict } = reportOn(records);
    expect(watching.missedExchanges.share).toBe(1);
    expect(stateOf(verdict, /would have missed a tool, of all watched/)).toBe('clear');
    expect(verdict.findings.filter(({ subject }) => /search/i.test(subject))).toEqual([]);
    expect(verdict.state).toBe('clear');
  });

  test('holds a rate near its limit for open, above it only when that is sure', () => {
    const state = (missShare: number) =>
      stateOf(verdictOf(['rollout_shadow'], { exchanges: 1_500, missShare }), /would have missed/);
    expect([0.01, 0.08, 0.25].map(state)).toEqual(['clear', 'unclear', 'against']);
  });

  test('is against a step when searches fail', () => {
    expect(
      stateOf(verdictOf(['rollout_dark'], { failureShare: 0.1 }), /alongside requests that failed/),
    ).toBe('against');
    expect(stateOf(verdictOf(['rollout_full'], { failureShare: 0.1 }), /Models' searches/)).toBe('against');
  });

  test.each([
    ['rollout_off', 'off'],
    ['rollout_dark', 'dark'],
    ['rollout_shadow', 'shadow'],
    ['inside_percent', 'partial'],
    ['rollout_full', 'full'],
  ] as const)('of records made by %s blocks the step from %s when most exchanges failed', (reason, step) => {
    const failed = (index: number) => index % 13 < 8;
    const records = makeRecords({ seed: 3, exchanges: 1_600, failureShare: 0, reasons: [reason] }).map(
      (record, index) => (failed(index) ? { ...record, outcome: 'failed' as const, status: 502 } : record),
    );
    const verdict = verdictOn(records);
    expect(verdict).toMatchObject({ step, state: 'against' });
    expect(stateOf(verdict, /Failed exchanges/)).toBe('against');
    expect(verdict.summary).toMatch(/^One metric blocks /);
  });

  test('takes an error status of the upstream for a failure, and a client that left for none', () => {
    const plan = { seed: 3, exchanges: 2_000, failureShare: 0, reasons: ['rollout_full'] } as const;
    const refused = makeRecords(plan).map((record, index) =>
      index % 10 === 0 ? { ...record, outcome: 'answered' as const, status: 429 } : record,
    );
    const left = makeRecords(plan).map((record, index) =>
      index % 10 === 0 ? { ...record, outcome: 'client_gone' as const, status: undefined } : record,
    );
    expect(stateOf(verdictOn(refused), /Failed exchanges/)).toBe('against');
    expect(stateOf(verdictOn(left as StoredRecord[]), /Failed exchanges/)).toBe('clear');
  });

  test('allows one point more than fails where nothing is altered', () => {
    const records = makeRecords({
      seed: 8,
      exchanges: 24_000,
      reasons: ['inside_percent', 'outside_percent'],
    });
    const failing = (full: number, shadow: number) =>
      verdictOn(
        records.map((record, index) =>
          index % 100 < (record.arm === 'full' ? full : shadow)
            ? { ...record, outcome: 'failed' as const }
            : record,
        ),
      );
    expect(stateOf(failing(0, 0), /Failed exchanges of arm full/)).toBe('clear');
    expect(stateOf(failing(5, 5), /Failed exchanges of arm full/)).toBe('clear');
    expect(stateOf(failing(8, 5), /Failed exchanges of arm full/)).toBe('against');
    expect(stateOf(failing(5, 0), /Failed exchanges of arm full/)).toBe('against');
  });

  test('counts as saved only what ended well', () => {
    const good = makeRecords({ seed: 5, exchanges: 600, reasons: ['rollout_full'] });
    const bad = makeRecords({ seed: 6, exchanges: 1_000, reasons: ['rollout_full'] }).map(
      (record): StoredRecord => ({ ...record, outcome: 'failed', status: 502 }),
    );
    const alone = reportOn(good).tools.changed;
    const together = reportOn([...good, ...bad]).tools.changed;
    expect(together.tokens).toEqual(alone.tokens);
    expect(together.deferringTokens).toEqual(alone.deferringTokens);
    expect(together.good).toBe(alone.good);
    expect(reportOn(bad).verdict.findings.find(({ subject }) => subject.includes('saved'))?.value).toBe(
      'none seen',
    );
  });

  test('is against slowness and against saving nothing', () => {
    const records = makeRecords({ seed: 8, exchanges: 1_000, reasons: ['rollout_full'] });
    const slow = records.map((record) => ({ ...record, addedMs: record.addedMs + 400 }));
    const useless = records.map((record) => ({
      ...record,
      toolBytes: { ...record.toolBytes, after: record.toolBytes.before },
    }));
    expect(stateOf(verdictOn(slow), /Added latency/)).toBe('against');
    expect(stateOf(verdictOn(useless), /saved/)).toBe('against');
    expect(stateOf(verdictOn(slow.slice(0, 50)), /Added latency/)).toBe('unclear');
  });

  test('names what is not in a saving that is only expected', () => {
    const savingOf = (reason: 'rollout_shadow' | 'rollout_full') =>
      verdictOf([reason]).findings.find(({ subject }) => subject.includes('saved'))?.value;
    expect(savingOf('rollout_shadow')).toMatch(/ exchanges, searches aside$/);
    expect(savingOf('rollout_full')).toMatch(/ exchanges$/);
  });

  test('shows the number and the limit of every finding', () => {
    for (const { value, limit } of verdictOf(['inside_percent', 'outside_percent']).findings) {
      expect(value).toMatch(/\d/);
      expect(limit).toMatch(/^at (most|least) \d/);
    }
  });
});

describe('the notes', () => {
  test('report a short period', () => {
    expect(verdictOf(['rollout_full'], { stepMs: 1_000 }).notes.join()).toContain('less than a day');
    expect(verdictOf(['rollout_full'], { stepMs: 60_000 }).notes.join()).not.toContain('less than a day');
  });

  test('report several steps, and how to look at the newest alone', () => {
    const shadow = makeRecords({
      seed: 1,
      exchanges: 50,
      reasons: ['rollout_shadow'],
      start: '2026-11-18T00:00:00Z',
    });
    const full = makeRecords({
      seed: 2,
      exchanges: 50,
      reasons: ['rollout_full'],
      start: '2026-11-20T00:00:00Z',
    });
    const report = reportOn([...full, ...shadow]);
    expect(report.verdict.step).toBe('full');
    const since = new Date(Date.parse(shadow.at(-1)!.time) + 1).toISOString();
    expect(report.verdict.notes.join()).toContain(`--since ${since}`);
    expect(reportOn(full).verdict.notes.join()).not.toContain('several steps');
  });

  test('report sessions that changed their arm', () => {
    const records = makeRecords({ seed: 1, exchanges: 50, reasons: ['inside_percent'], sessions: 1 }).map(
      (record, index) => ({
        ...record,
        session: 'one',
        arm: index % 2 === 0 ? ('full' as const) : ('shadow' as const),
      }),
    );
    expect(verdictOn(records).notes.join()).toContain('1 sessions (100%) were seen in more than one arm');
  });
});

describe('the verdict at full', () => {
  const [ANY] = makeRecords({ seed: 1, exchanges: 1, reasons: ['rollout_full'] });
  const record = (at: number, changes: Partial<StoredRecord> = {}): StoredRecord => ({
    ...ANY!,
    ...{ session: `s${at}`, outcome: 'answered', status: 200, arm: 'full', armReason: 'rollout_full' },
    ...{ planReason: 'deferred', tools: { total: 100, deferred: 95, loaded: 1 }, sessionErrors: 0 },
    ...{ searches: [], called: ['a'], restoredBecause: undefined },
    ...changes,
  });
  const search = (outcome: string) => ({ outcome, names: [], ms: 1 });
  const many = (count: number, changes: (at: number) => Partial<StoredRecord>) =>
    verdictOn(Array.from({ length: count }, (_, at) => record(at, changes(at))));
  const findingOf = (verdict: ReturnType<typeof verdictOf>, subject: RegExp) =>
    verdict.findings.find((finding) => subject.test(finding.subject))!;

  test('has a row for searches that found nothing, and says how many more decide', () => {
    const few = many(290, (at) => ({ searches: [search(at < 8 ? 'no_match' : 'found')] }));
    const finding = findingOf(few, /found nothing/);
    expect(finding).toMatchObject({ state: 'unclear', value: '8 of 290: 2.8% (1.4–5.3%)' });
    expect(finding.limit).toMatch(/^at most 5%; about \d+ more decide, if the share stays$/);
    const many8 = many(2_900, (at) => ({ searches: [search(at % 8 === 0 ? 'weak' : 'found')] }));
    expect(findingOf(many8, /found nothing/).state).toBe('against');
  });

  test('has a row for exchanges whose model did not get a tool', () => {
    const verdict = many(500, (at) => {
      if (at % 20 === 0) return { searches: [search('no_match')], called: [] };
      return at % 20 === 1 ? { called: ['b'], unseen: ['b'] } : {};
    });
    expect(findingOf(verdict, /did not get a tool/)).toMatchObject({
      state: 'against',
      value: expect.stringMatching(/^50 of 500: 10\.0%/),
    });
    // A model that found a tool after all got one.
    const found = many(500, () => ({ searches: [search('no_match'), search('found')], called: ['a'] }));
    expect(findingOf(found, /did not get a tool/)).toMatchObject({
      value: expect.stringMatching(/^0 of 500/),
    });
  });

  test('does not count agents that the bill leaves alone as missing savings, and says what deferring would do', () => {
    const tools = { total: 100, deferred: 0, loaded: 0 };
    const whole = {
      before: 40_000,
      after: 40_000,
    };
    const expected = { freedTokens: 9_000, bill: 1.08, requests: 8, searches: 2 };
    const saved = {
      before: 40_000,
      after: 4_000,
    };
    const records = Array.from({ length: 3_000 }, (_, at) =>
      at % 12 === 0
        ? record(at, { toolBytes: saved })
        : record(at, { planReason: 'few_savings', tools, toolBytes: whole, expected }),
    );
    const report = reportOn(records);
    expect(findingOf(report.verdict, /Tokens of tools/)).toMatchObject({ state: 'clear' });
    const text = renderText(report, { width: 400, stream: NO_TERMINAL });
    expect(text).toContain(
      '2,750 exchanges were left alone: deferring would free 9,000 tokens of tools in each, and cost about 8.0% more.',
    );
    expect(text).toContain('Context: tools took 1,000 tokens in an exchange in place of 10,000 (90.0% less)');
  });

  test('says how far each arm is from a comparison in money', () => {
    const usage = { inputTokens: 1_000, outputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 0 };
    const arm = (at: number, isFull: boolean) =>
      record(at, {
        ...(isFull
          ? { arm: 'full', armReason: 'inside_percent' }
          : { arm: 'shadow', armReason: 'outside_percent' }),
        ...{ session: `${isFull}${at}`, model: 'claude-opus-5', usage: [usage], upstreamCalls: 1 },
      });
    const records = [...Array(26).keys()].flatMap((at) => [arm(at, true), arm(at, false)]);
    expect(findingOf(verdictOn(records), /Cost of an exchange/).value).toBe(
      'not comparable yet: 26 of 30 conversations with deferring, 26 of 30 conversations without',
    );
  });
});
