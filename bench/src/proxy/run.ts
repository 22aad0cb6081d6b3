import type { Machine } from '../machine.ts';
import type { Mark } from '../marks.ts';
import type { RoundWindow } from './compare-windows.ts';
import type { ForwardingWay, Load } from './forwarding-ways.ts';
import type { LoopDelay } from './measure-delays.ts';
import type { InProcessCost } from './measure-in-process.ts';
import type { Latency } from './measure-latency.ts';
import type { LoadModesCost } from './measure-load-modes.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { PairCost } from './measure-pairs.ts';
import type { PeakMemory } from './measure-peak.ts';
import type { RolloutTimes } from './measure-rollout.ts';
import type { SearchTimes } from './measure-search.ts';
import type { SessionTimes } from './measure-sessions.ts';
import type { StartTimes } from './measure-starts.ts';

/** Cost of forwarding one kind of request through every receiver. */
export interface ForwardingCost {
  readonly load: Load['name'];
  readonly title: string;
  readonly bodyBytes: number;
  readonly ways: readonly ForwardingWay[];
  readonly windows: readonly RoundWindow[];
}

/** Time until the first text of streamed responses, with 200 deferred tools. */
export interface FirstContent {
  /** `stream`: without pauses. `paced`: at the pace of a fast model. */
  readonly answer: 'stream' | 'paced';
  readonly windows: readonly RoundWindow[];
}

/** One exchange at a time with one kind of request. */
export interface LoadLatency {
  readonly load: Load['name'];
  readonly title: string;
  readonly whole: Latency;
  readonly stream: Latency;
}

/** All measurements of a run; omitted parts are missing or empty. */
export interface ProxyMeasurements {
  readonly forwarding: readonly ForwardingCost[];
  readonly latency: readonly LoadLatency[];
  readonly firstContent: readonly FirstContent[];
  readonly searches: readonly SearchTimes[];
  readonly starts: readonly StartTimes[];
  readonly peaks: readonly PeakMemory[];
  readonly delays: readonly LoopDelay[];
  readonly growth?: MemoryCourse | undefined;
  readonly rollout: readonly RolloutTimes[];
  readonly sessions: readonly SessionTimes[];
  readonly pairs: readonly PairCost[];
  readonly inProcess: readonly InProcessCost[];
  readonly loadModes: readonly LoadModesCost[];
  /** Measurements that this machine does not allow, with the reasons. */
  readonly notes: readonly string[];
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
