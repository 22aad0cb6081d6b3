import { acebenchEn } from './acebench-en.ts';
import { bfcl } from './bfcl.ts';
import { metatool } from './metatool.ts';
import { nestful } from './nestful.ts';
import { restbench } from './restbench.ts';
import { sealtools } from './sealtools.ts';
import type { ConvertedSet, RecordedSet, SetSource } from './set-source.ts';
import { stabletoolbench } from './stabletoolbench.ts';
import { tauBenchAirline } from './tau-bench-airline.ts';
import { toollinkos } from './toollinkos.ts';
import { workbench } from './workbench.ts';

/** The public sets of the retrieval table. */
export const ALL_SETS: readonly SetSource[] = [
  bfcl,
  stabletoolbench,
  restbench,
  toollinkos,
  metatool,
  sealtools,
  nestful,
  acebenchEn,
];

/** All sets that can be fetched: those of the retrieval table, and recorded conversations. */
export const FETCHED_SETS: readonly SetSource<ConvertedSet | RecordedSet>[] = [
  ...ALL_SETS,
  tauBenchAirline,
  workbench,
];
