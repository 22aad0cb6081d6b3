import type { Mark } from '../marks.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import type { AttachMeasurement } from './measure-attach.ts';
import { SCORES, type ScoresOfSet } from './measure-scores.ts';

export interface AttachMeasurements {
  readonly request: AttachMeasurement;
  readonly scores: readonly ScoresOfSet[] | undefined;
}

export function attachTables({ request, scores }: AttachMeasurements): Table[] {
  const { tools, attached, requests, calls, serviceMs, callsMs } = request;
  const cpu: Table = {
    title: 'Processor time of a request, in milliseconds',
    header: ['known tools', 'attached', 'requests', 'calls of Letta', 'all', 'the calls alone', 'difference'],
    rows: [
      [
        String(tools),
        String(attached),
        String(requests),
        figure(calls, 1),
        ...[serviceMs, callsMs, serviceMs - callsMs].map((ms) => figure(ms, 2)),
      ],
    ],
    labels: 0,
  };
  return scores === undefined ? [cpu] : [cpu, scoresTable(scores)];
}

function scoresTable(scores: readonly ScoresOfSet[]): Table {
  const of = (what: string) => SCORES.map((least) => `${what} from ${least}`);
  return {
    title: 'Shares of the first ten found that have at least a match_score, for queries of up to 12 words',
    header: ['set', 'tools', 'queries', 'right ones', ...of('right'), ...of('other')],
    rows: scores.map(({ set, tools, queries, golds, goldShares, otherShares }) => [
      set,
      ...[tools, queries, golds].map(String),
      ...[...goldShares, ...otherShares].map((share) => figure(share, 3)),
    ]),
    labels: 1,
  };
}

/** Maximum processor time of a request without the calls of Letta, in milliseconds. */
const MOST_OWN_MS = 5;

/** Minimum share of right tools that pass, as the mean of the sets. */
const LEAST_SHARE = 0.95;

export function attachMarks({ request, scores }: AttachMeasurements): Mark[] {
  const ownMs = request.serviceMs - request.callsMs;
  const marks: Mark[] = [
    {
      what: 'processor time of a request without the calls of Letta',
      mark: `at most ${MOST_OWN_MS} ms`,
      measured: `${figure(ownMs, 2)} ms`,
      isMet: ownMs <= MOST_OWN_MS,
    },
  ];
  if (scores === undefined) return marks;
  const share = mean(scores.map(({ goldShares }) => goldShares[0]!));
  return [
    ...marks,
    {
      what: 'right tools among the first ten with a match_score of 35, mean of the sets',
      mark: `at least ${LEAST_SHARE}`,
      measured: figure(share, 3),
      isMet: share >= LEAST_SHARE,
    },
  ];
}
