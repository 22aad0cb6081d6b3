import type { TimeSummary } from '../summarize-times.ts';
import type { StoreName } from './plan.ts';

/** Searches while changes arrive. */
export interface SearchTimes {
  readonly searches: TimeSummary;
  /** From sending a change to its confirmation. */
  readonly changes: TimeSummary;
  /** Changes a second that were asked for, and that were confirmed. */
  readonly wantedPerSecond: number;
  readonly changesPerSecond: number;
}

/** What was measured of one registry, or of two instances over one database. */
export interface StoreTimes extends SearchTimes {
  readonly store: StoreName;
  readonly tools: number;
  readonly registerMs: number;
  /** From spawning the process to its answering, with everything in the store; none for memory. */
  readonly startMs: readonly number[];
  /** From the confirmation of a change by one instance to its being found by the other. */
  readonly visibleMs: readonly number[];
  /** Most that a process of it has held, in bytes. */
  readonly peakBytes: number | undefined;
  readonly indexBytes: number;
}

/** Everything that one run measured. */
export interface RegistryMeasurements {
  readonly stores: readonly StoreTimes[];
}
