import type { PatientMeanings } from '@winnow/embeddings';
import type { Mark } from '../marks.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { type Searched, searchedOf, searchFor } from './measure-certainty.ts';
import { recallAt } from './metrics.ts';
import { type CaseFile, IRONCLAW } from './read-unanswerable.ts';

/** The certainty of the searches of one file. */
export interface UnanswerableMeasurement {
  readonly name: string;
  readonly unanswerable: number;
  /** Number of unanswerable requests that are `found`. */
  readonly found: number;
  /** R@5 of the answerable requests, with weak matches as not found; undefined without such requests. */
  readonly recall5: number | undefined;
}

/** Measures searches over the tools that come with each request, by words alone or with meaning. */
export async function measureUnanswerable(
  files: readonly CaseFile[],
  meanings?: PatientMeanings,
): Promise<UnanswerableMeasurement[]> {
  return Promise.all(files.map((file) => measureFile(file, meanings)));
}

async function measureFile(
  { name, cases }: CaseFile,
  meanings: PatientMeanings | undefined,
): Promise<UnanswerableMeasurement> {
  const lists = new Map<unknown, Searched>();
  const recalls: number[] = [];
  let [unanswerable, found] = [0, 0];
  for (const { text, tools, gold } of cases) {
    const searched = lists.get(tools) ?? searchedOf(tools, meanings);
    lists.set(tools, searched);
    const { names, certainty } = await searchFor(searched, text);
    const isFound = certainty === 'found';
    if (gold.size > 0) recalls.push(isFound ? recallAt(5, names, gold) : 0);
    else {
      unanswerable++;
      if (isFound) found++;
    }
  }
  return { name, unanswerable, found, recall5: recalls.length === 0 ? undefined : mean(recalls) };
}

export function unanswerableTable(measured: readonly UnanswerableMeasurement[], ranker: string): Table {
  return {
    title: `Requests that none of their tools answers: ${ranker}`,
    header: ['file', 'requests', 'found', 'share', 'R@5 of answerable ones'],
    rows: measured.map(({ name, unanswerable, found, recall5 }) => [
      ...[name, String(unanswerable), String(found)],
      ...[figure(found / unanswerable), figure(recall5)],
    ]),
    labels: 1,
  };
}

/** Maximum share of unanswerable requests that are found; IronClaw's are few, and none may be. */
const MOST_FOUND = 0.1;
const LEAST_RECALL = 0.96;

export function unanswerableMarks(measured: readonly UnanswerableMeasurement[], ranker: string): Mark[] {
  return measured.flatMap(({ name, unanswerable, found, recall5 }) => [
    {
      what: `${ranker}, ${name}: requests without a tool that are found`,
      mark: name === IRONCLAW ? 'none' : `at most ${MOST_FOUND}`,
      measured: name === IRONCLAW ? `${found} of ${unanswerable}` : figure(found / unanswerable),
      isMet: name === IRONCLAW ? found === 0 : found <= MOST_FOUND * unanswerable,
    },
    ...(recall5 === undefined
      ? []
      : [
          {
            what: `${ranker}, ${name}: R@5, weak matches not counted`,
            mark: `at least ${LEAST_RECALL}`,
            measured: figure(recall5),
            isMet: recall5 >= LEAST_RECALL,
          },
        ]),
  ]);
}
