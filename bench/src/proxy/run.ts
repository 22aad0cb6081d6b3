import type { Machine } from '../machine.ts';
import type { Mark } from '../marks.ts';
import type { RoundWindow } from './compare-windows.ts';
import type { ForwardingWay, Load } from './forwarding-ways.ts';
import type { LoopDelay } from './measure-delays.ts';
import type { Latency } from './measure-latency.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { PageCost } from './measure-page.ts';
import type { PeakMemory } from './measure-peak.ts';
import type { RolloutTimes } from './measure-rollout.ts';
import type { SearchTimes } from './measure-search.ts';
import type { SessionTimes } from './measure-sessions.ts';
import type { StartTimes } from './measure-starts.ts';

/** What forwarding one kind of request costs, through everything that it can go through. */
export interface ForwardingCost {
  readonly load: Load['name'];
  readonly title: string;
  readonly bodyBytes: number;
  readonly ways: readonly ForwardingWay[];
  readonly windows: readonly RoundWindow[];
}

/** How soon the first text of streamed responses is there, with 200 tools deferred. */
export interface FirstContent {
  /** `stream`: each is over at once. `paced`: each takes as long as a quick model's. */
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

/** Everything that one run measured; parts that were left out are missing or empty. */
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
  readonly page: readonly PageCost[];
  /** What could not be measured here, and why. */
  readonly notes: readonly string[];
}

/** One run of the proxy bench: what `--json` writes. */
export interface ProxyRun extends ProxyMeasurements {
  /** When it ran, ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  /** The commit of each checkout. */
  readonly versions: Readonly<Record<string, string>>;
  readonly marks: readonly Mark[];
}
