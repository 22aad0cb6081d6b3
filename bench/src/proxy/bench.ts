import type { Checkout } from '../checkout.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';
import type { Part } from './parts.ts';
import type { ProxyPlan } from './plan.ts';

/** What a run is told besides its plan. */
export interface RunOptions {
  /** What to measure. */
  readonly parts: ReadonlySet<Part>;
  /** The checkout that is measured. */
  readonly own: Checkout;
  /** Another one, measured in the same rounds. */
  readonly baseline?: Checkout | undefined;
  /** Hears what is being measured. */
  readonly report: (line: string) => void;
  /** A folder for CPU profiles of the proxies that forward; measuring with them is slower. */
  readonly profileDirectory?: string | undefined;
}

/** What every part of a run uses. */
export interface Bench extends RunOptions {
  readonly plan: ProxyPlan;
  readonly upstream: RunningProcess;
  /** The own one, and the baseline where there is one. */
  readonly checkouts: readonly Checkout[];
}

/** Starts the bare pipe of undici, which ratios are taken against. */
export function startUndiciPipe({ upstream }: Bench): Promise<RunningProcess> {
  return startProcess({ file: new URL('undici-pipe-process.ts', import.meta.url), args: [upstream.url] });
}

/** Starts the bare pipe of `node:http`. */
export function startHttpPipe({ upstream }: Bench): Promise<RunningProcess> {
  return startProcess({ file: new URL('http-pipe-process.ts', import.meta.url), args: [upstream.url] });
}
