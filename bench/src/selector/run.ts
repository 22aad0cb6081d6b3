import type { Machine } from '../machine.ts';
import type { Mark } from '../marks.ts';
import type { LoadTimes } from './measure-load.ts';
import type { RankerTimes } from './measure-rankers.ts';
import type { RequestTimes } from './measure-requests.ts';
import type { StallTimes } from './measure-stall.ts';

/** All measurements of a run. */
export interface SelectorMeasurements {
  readonly requests: readonly RequestTimes[];
  readonly rankers: readonly RankerTimes[];
  readonly load: readonly LoadTimes[];
  /** Cost of the warm requests with inline tools if the server only reads them. */
  readonly receiving: LoadTimes;
  readonly stall: StallTimes;
  /** Memory of the selector's process at the end, in bytes, if the system reports it. */
  readonly selectorMemory: { readonly resident: number; readonly peak: number } | undefined;
}

/** One run of the selector bench: the content of `--json`. */
export interface SelectorRun extends SelectorMeasurements {
  /** Time of the run, ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  /** The commit of each checkout. */
  readonly versions: Readonly<Record<string, string>>;
  readonly marks: readonly Mark[];
}
