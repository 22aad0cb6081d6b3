import { acebenchEn } from './acebench-en.ts';
import { bfcl } from './bfcl.ts';
import { metatool } from './metatool.ts';
import { nestful } from './nestful.ts';
import { restbench } from './restbench.ts';
import { sealtools } from './sealtools.ts';
import type { SetSource } from './set-source.ts';
import { stabletoolbench } from './stabletoolbench.ts';
import { toollinkos } from './toollinkos.ts';

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
