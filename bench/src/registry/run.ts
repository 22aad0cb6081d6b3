import type { TimeSummary } from '../summarize-times.ts';
import type { StoreName } from './plan.ts';

/** Searches while changes arrive. */
export interface SearchTimes {
  readonly searches: TimeSummary;
  /** Time from sending a change to its confirmation. */
  readonly changes: TimeSummary;
  /** Changes per second, requested and confirmed. */
  readonly wantedPerSecond: number;
  readonly changesPerSecond: number;
}

/** Measurements of one registry, or of two instances over one database. */
export interface StoreTimes extends SearchTimes {
  readonly store: StoreName;
  readonly tools: number;
  readonly registerMs: number;
  /** Time from spawning the process to its first response, with everything in the store; none for memory. */
  readonly startMs: readonly number[];
  /** Time from the confirmation of a change by one instance until the other finds it. */
  readonly visibleMs: readonly number[];
  /** Peak memory of one of its processes, in bytes. */
  readonly peakBytes: number | undefined;
  readonly indexBytes: number;
}

/** The longest delay of the event loop by registrations of one kind. */
export interface Stall {
  readonly title: string;
  readonly longestMs: number;
}

/** All measurements of a run. */
export interface RegistryMeasurements {
  readonly stores: readonly StoreTimes[];
  readonly stalls: readonly Stall[];
}
