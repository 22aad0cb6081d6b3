import { THRESHOLDS } from './findings.ts';
import type { ReadingResult } from './reading/read-records.ts';
import type { Sections } from './sections.ts';
import { judge, type Verdict } from './verdict.ts';

/** Everything that is known after reading, as plain data; what `--json` prints. */
export interface Report extends Sections {
  /** Changes when a field loses its meaning, not when one is added. */
  readonly version: 2;
  readonly sources: readonly string[];
  readonly reading: ReadingResult;
  readonly thresholds: typeof THRESHOLDS;
  readonly verdict: Verdict;
}

/** The report on the records that were read. */
export function makeReport(sections: Sections, sources: readonly string[], reading: ReadingResult): Report {
  return { version: 2, sources, reading, ...sections, thresholds: THRESHOLDS, verdict: judge(sections) };
}
