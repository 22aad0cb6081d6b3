import type { Machine } from '../machine.ts';
import type { Mark } from '../marks.ts';
import type { Latency } from './measure-latency.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { RolloutTimes } from './measure-rollout.ts';
import type { SearchTimes } from './measure-search.ts';
import type { SessionTimes } from './measure-sessions.ts';
import type { Throughput } from './measure-throughput.ts';

/** What is measured with both kinds of requests. */
export interface ForwardingMeasurements {
  /** Whole answers, 16 connections. */
  readonly throughput: Throughput;
  /** Whole answers, one connection. */
  readonly whole: Latency;
  /** Streamed answers, one connection. */
  readonly stream: Latency;
}

/** Everything that one run measured. */
export interface ProxyMeasurements {
  /** A small request without tools, strategy passthrough. */
  readonly small: ForwardingMeasurements;
  /** A request with 200 tools, strategy tool-search, and no search. */
  readonly deferred: ForwardingMeasurements;
  readonly searches: readonly SearchTimes[];
  readonly memory: MemoryCourse;
  readonly rollout: readonly RolloutTimes[];
  readonly sessions: readonly SessionTimes[];
}

/** One run of the proxy bench: what `--json` writes. */
export interface ProxyRun extends ProxyMeasurements {
  /** When it ran, ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  readonly marks: readonly Mark[];
}
