import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import type { CertaintyMeasurement, Confidences } from './measure-certainty.ts';

/** R@5 that a least confidence may cost in any set it is chosen on: half of the mark, as other sets lose more. */
const MOST_LOST = 0.005;

/**
 * Returns a table of least confidences, each chosen on all sets but one and judged on that one: the R@5 that
 * it loses there, and the shares of unanswerable queries that are found. The area under the ROC curve tells
 * how well confidence separates answerable queries whose tool is among the five from the unanswerable, at
 * any threshold.
 */
export function certaintyLeftOut(measured: readonly CertaintyMeasurement[], ranker: string): Table {
  const rows = measured.length < 2 ? [] : measured.map((one) => [one.set, ...judge(one, measured)]);
  return {
    title: `Least confidence chosen without the set: ${ranker}`,
    header: [
      ...['set', 'least confidence', 'R@5 lost', 'found: tools removed', 'found: foreign'],
      ...['found: foreign, short', 'AUC: tools removed', 'AUC: foreign', 'AUC: foreign, short'],
    ],
    rows,
    labels: 1,
  };
}

function judge(one: CertaintyMeasurement, all: readonly CertaintyMeasurement[]): string[] {
  const others = all.filter((other) => other !== one);
  const least = Math.min(...others.map(({ confidences }) => highestThreshold(confidences)));
  const { answerable, removed, foreign, foreignShort } = one.confidences;
  const kinds = [removed, foreign, foreignShort];
  return [
    figure(least),
    figure(lostAt(least, one.confidences)),
    ...kinds.map((kind) => figure(shareFrom(least, kind))),
    ...kinds.map((kind) => figure(areaUnderCurve(answerable, kind))),
  ];
}

function lostAt(least: number, { answerable }: Confidences): number {
  return mean(answerable.map(({ confidence, recall5 }) => (confidence < least ? recall5 : 0)));
}

/** Returns the highest confidence below which at most {@link MOST_LOST} of R@5 lies. */
function highestThreshold({ answerable }: Confidences): number {
  const ordered = [...answerable].sort((left, right) => left.confidence - right.confidence);
  let lost = 0;
  for (const { confidence, recall5 } of ordered) {
    lost += recall5 / ordered.length;
    if (lost > MOST_LOST) return confidence;
  }
  return 1;
}

function shareFrom(least: number, confidences: readonly number[]): number | undefined {
  if (confidences.length === 0) return undefined;
  return mean(confidences.map((confidence) => (confidence >= least ? 1 : 0)));
}

function areaUnderCurve(
  answerable: Confidences['answerable'],
  unanswerable: readonly number[],
): number | undefined {
  const right = answerable.filter(({ recall5 }) => recall5 > 0).map(({ confidence }) => confidence);
  if (right.length === 0 || unanswerable.length === 0) return undefined;
  const win = (one: number, other: number) => (one > other ? 1 : one === other ? 0.5 : 0);
  return mean(right.map((one) => mean(unanswerable.map((other) => win(one, other)))));
}
