import type { Machine } from '../machine.ts';
import type { Mark } from '../marks.ts';
import type { LoadTimes } from './measure-load.ts';
import type { RankerTimes } from './measure-rankers.ts';
import type { RequestTimes } from './measure-requests.ts';
import type { StallTimes } from './measure-stall.ts';

/** Everything that one run measured. */
export interface SelectorMeasurements {
  readonly requests: readonly RequestTimes[];
  readonly rankers: readonly RankerTimes[];
  readonly load: readonly LoadTimes[];
  /** What the warm requests with their tools inline cost when nothing is done with them. */
  readonly receiving: LoadTimes;
  readonly stall: StallTimes;
  /** Memory of the selector's process at the end, in bytes, where the system says. */
  readonly selectorMemory: { readonly resident: number; readonly peak: number } | undefined;
}

/** One run of the selector bench: what `--json` writes. */
export interface SelectorRun extends SelectorMeasurements {
  /** When it ran, ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  /** The commit of each checkout. */
  readonly versions: Readonly<Record<string, string>>;
  readonly marks: readonly Mark[];
}
