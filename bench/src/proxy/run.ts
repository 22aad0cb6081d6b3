import type { Machine } from '../machine.ts';
import type { Mark } from '../marks.ts';
import type { LoopDelay } from './measure-delays.ts';
import type { InProcessCost } from './measure-in-process.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { LoadedMemory } from './measure-memory-after-load.ts';
import type { RowCost } from './measure-rows.ts';
import type { SearchTimes } from './measure-search.ts';
import type { StartTimes } from './measure-starts.ts';

/** All measurements of a run; omitted parts are missing or empty. */
export interface ProxyMeasurements {
  readonly costs: readonly RowCost[];
  readonly memory: readonly LoadedMemory[];
  readonly starts: readonly StartTimes[];
  readonly inProcess: readonly InProcessCost[];
  readonly searches: readonly SearchTimes[];
  readonly delays: readonly LoopDelay[];
  readonly growth?: MemoryCourse | undefined;
}

/** One run of the proxy bench: the content of `--json`. */
export interface ProxyRun extends ProxyMeasurements {
  /** Time of the run, ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  /** The commit of each checkout. */
  readonly versions: Readonly<Record<string, string>>;
  readonly marks: readonly Mark[];
}
