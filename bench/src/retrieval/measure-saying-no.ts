import type { PatientMeanings } from '@winnow/embeddings';
import type { Ranker } from '@winnow/ranking';
import type { Mark } from '../marks.ts';
import { WITH_MEANING } from '../rankers/meaning-ranker.ts';
import type { Table } from '../table.ts';
import { certaintyLeftOut } from './certainty-left-out.ts';
import { certaintyMarks, certaintyTable, measureCertainty } from './measure-certainty.ts';
import { measureUnanswerable, unanswerableMarks, unanswerableTable } from './measure-unanswerable.ts';
import type { RetrievalSet } from './read-sets.ts';
import type { CaseFile } from './read-unanswerable.ts';

/** Input of the measurement. */
export interface SayingNoInput {
  readonly sets: readonly RetrievalSet[];
  readonly files: readonly CaseFile[];
  /** The rankers of the run; only ours say no. */
  readonly rankers: readonly Pick<Ranker, 'name'>[];
  readonly meanings: PatientMeanings | undefined;
}

/** Measures searches that say no, by words alone and, where there are vectors, with meaning. */
export async function measureSayingNo({ sets, files, rankers, meanings }: SayingNoInput) {
  const ways = [
    { name: 'bm25', meanings: undefined },
    { name: WITH_MEANING, meanings },
  ].filter(({ name }) => rankers.some((ranker) => ranker.name === name));
  const tables: Table[] = [];
  const marks: Mark[] = [];
  for (const { name, meanings: of } of ways) {
    const certainty = await measureCertainty(sets, of);
    const unanswerable = await measureUnanswerable(files, of);
    tables.push(
      certaintyTable(certainty, name),
      certaintyLeftOut(certainty, name),
      unanswerableTable(unanswerable, name),
    );
    marks.push(...certaintyMarks(certainty, name), ...unanswerableMarks(unanswerable, name));
  }
  return { tables, marks };
}
