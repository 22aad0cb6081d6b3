import type { Checkout } from '../checkout.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';
import type { ProxyPlan } from './plan.ts';

/** Options of a run, in addition to its plan. */
export interface RunOptions {
  /** The parts to measure. */
  readonly parts: ReadonlySet<string>;
  /** The checkout to measure. */
  readonly own: Checkout;
  /** A second checkout, measured in the same rounds. */
  readonly baseline?: Checkout | undefined;
  /** Receives progress messages. */
  readonly report: (line: string) => void;
  /** A folder for CPU profiles of the forwarding proxies; profiling slows the measurement down. */
  readonly profileDirectory?: string | undefined;
}

/** Context that all parts of a run share. */
export interface Bench extends RunOptions {
  readonly plan: ProxyPlan;
  readonly upstream: RunningProcess;
  /** This checkout, and the baseline if there is one. */
  readonly checkouts: readonly Checkout[];
}

/** Starts the bare pipe of undici, the reference for ratios. */
export function startUndiciPipe({ upstream }: Bench): Promise<RunningProcess> {
  return startProcess({ file: new URL('undici-pipe-process.ts', import.meta.url), args: [upstream.url] });
}
