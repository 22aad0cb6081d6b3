import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LineOutput } from './line-output.ts';
import { EXIT } from './service-command.ts';

/** The parts that stop with the process, in this order. */
export interface Ending {
  /** Finishes running requests; resolves to whether all of them finished. */
  readonly service: { close(): Promise<boolean> };
  /** Exports the last spans. */
  readonly tracing: { close(deadline: AbortSignal): Promise<void> };
  readonly output: LineOutput;
}

/** The time for exporting the last spans to the collector, in milliseconds. */
const LAST_SPANS_MS = 2_000;

/** The time for writing the last log lines, in milliseconds. */
const LAST_LINES_MS = 5_000;

/** The time before the exit for anything else that is left, such as connections to a collector that hangs. */
const LEFTOVERS_MS = 100;

/**
 * Stops a service, and then its process, on SIGTERM and SIGINT. The end of a parent process with a channel to
 * this one has the same effect, because its children must not outlive it.
 */
export function stopOnSignal({ service, tracing, output }: Ending): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    const isFinished = await service.close();
    process.exitCode = isFinished ? 0 : EXIT.drainTimedOut;
    await tracing.close(AbortSignal.timeout(LAST_SPANS_MS));
    // The lines of this turn of the event loop are written at its end.
    await nextTurn();
    await output.finish(AbortSignal.timeout(LAST_LINES_MS));
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  };
  // `once`: a second signal ends the process immediately, as an impatient operator expects.
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('disconnect', stop);
  // The listener alone must not keep a finished process running.
  process.channel?.unref();
}
