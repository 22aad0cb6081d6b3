import { expect, test } from 'vitest';
import { selectorMarks } from '../../src/selector/marks.ts';
import type { SelectorMeasurements } from '../../src/selector/run.ts';
import { summarizeTimes } from '../../src/summarize-times.ts';

const took = (ms: number) => summarizeTimes([ms]);
const ranker = (size: number, name: string, buildMs: number, queryMs: number) => ({
  size,
  ranker: name,
  build: took(buildMs),
  query: took(queryMs),
  search: name === 'bm25' ? took(queryMs / 2) : undefined,
  bytesPerTool: 1,
});

const measured: SelectorMeasurements = {
  requests: [
    {
      size: 500,
      bodyBytes: 1,
      jsonParse: took(2),
      winnow: { cold: took(16), warm: took(6.5), changed: took(1), catalogId: took(0.4) },
      baseline: undefined,
      inProcessCold: took(1),
      inProcessRank: took(1),
    },
  ],
  rankers: [
    ranker(1_000, 'bm25', 10, 0.08),
    ranker(1_000, 'wink-helper', 45, 1),
    ranker(10_000, 'bm25', 100, 1.2),
    ranker(10_000, 'wink', 300, 3),
    ranker(10_000, 'wink-helper', 390, 6),
  ],
  load: [
    { what: 'cold', selector: 'winnow', tools: 2_000, atATime: 8, times: took(250) },
    { what: 'warm, tools inline', selector: 'winnow', tools: 20_000, atATime: 8, times: took(151) },
  ],
  receiving: {
    what: 'inline, only received',
    selector: 'winnow',
    tools: 20_000,
    atATime: 8,
    times: took(90),
  },
  stall: {
    tools: 20_000,
    idleMax: 1,
    longest: [12, 50, 9],
    buildMs: [900],
    answers: 100,
    ownPauseMax: 1,
    selectorPauseMax: undefined,
  },
  selectorMemory: undefined,
};

test('compares every mark with its figure, and takes the worst of several', () => {
  expect(selectorMarks(measured).map(({ measured: figure, isMet }) => [figure, isMet])).toEqual([
    ['0.080 ms', true],
    ['1.200 ms', false],
    ['0.600 ms', false],
    // 3 / 1.2: the faster wink counts.
    ['2.5', false],
    // 45 / 10 at 1,000 tools, 390 / 100 at 10,000: the least counts.
    ['3.9', false],
    ['8.000', true],
    ['3.250', false],
    ['0.400 ms', true],
    ['250.0 ms', true],
    ['151.0 ms', false],
    ['50.0 ms', true],
  ]);
});

test('omits marks that were not measured', () => {
  const marks = selectorMarks({ ...measured, requests: [], rankers: [], load: [] });
  expect(marks.map(({ what }) => what)).toEqual(['stall of other requests while 20000 tools are indexed']);
});

test('compares one changed tool of 2,000 with the warm request, and names the baseline’s', () => {
  const [times] = measured.requests as [SelectorMeasurements['requests'][number]];
  const http = (changedMs: number) => ({ ...times.winnow, warm: took(2), changed: took(changedMs) });
  const judge = (winnowMs: number, baselineMs?: number) => {
    const baseline = baselineMs === undefined ? undefined : http(baselineMs);
    const requests = [{ ...times, size: 2_000, winnow: http(winnowMs), baseline }];
    const [mark] = selectorMarks({ ...measured, requests, rankers: [], load: [] });
    return [mark!.measured, mark!.isMet];
  };
  expect(judge(6)).toEqual(['3.00', true]);
  expect(judge(6.2, 60)).toEqual(['3.10; baseline 30.00', false]);
});

test('requires half of the baseline’s time for cold requests if it is measured in the same run', () => {
  const load = (winnowMs: number) => [
    { what: 'cold', selector: 'winnow' as const, tools: 2_000, atATime: 8, times: took(winnowMs) },
    { what: 'cold', selector: 'baseline' as const, tools: 2_000, atATime: 8, times: took(400) },
  ];
  const judge = (winnowMs: number) =>
    selectorMarks({ ...measured, requests: [], rankers: [], load: load(winnowMs) })
      .slice(0, 2)
      .map(({ measured: figure, isMet }) => [figure, isMet]);
  expect(judge(200)).toEqual([
    ['200.0 ms', true],
    ['0.50', true],
  ]);
  expect(judge(240)).toEqual([
    ['240.0 ms', true],
    ['0.60', false],
  ]);
});
