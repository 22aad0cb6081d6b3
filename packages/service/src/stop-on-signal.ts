import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LineOutput } from './line-output.ts';
import { EXIT } from './service-command.ts';

/** What comes to an end with the process, in this order. */
export interface Ending {
  /** Finishes what runs; gives whether all of it was finished. */
  readonly service: { close(): Promise<boolean> };
  /** Sends off the last spans. */
  readonly tracing: { close(deadline: AbortSignal): Promise<void> };
  readonly output: LineOutput;
}

/** How long the last spans may take on their way to the collector, in milliseconds. */
const LAST_SPANS_MS = 2_000;

/** How long the last log lines may take on their way to whoever reads them, in milliseconds. */
const LAST_LINES_MS = 5_000;

/** What is left then holds nobody up: connections to a collector that hangs, and its timers. */
const LEFTOVERS_MS = 100;

/**
 * Brings a service to its end on SIGTERM and SIGINT, and then the process. So does the end of a parent that has opened a channel to this
 * process, however it ended: what it started must not outlive it.
 */
export function stopOnSignal({ service, tracing, output }: Ending): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    const isFinished = await service.close();
    process.exitCode = isFinished ? 0 : EXIT.drainTimedOut;
    await tracing.close(AbortSignal.timeout(LAST_SPANS_MS));
    // The lines of this turn of the event loop are handed over at its end.
    await nextTurn();
    await output.finish(AbortSignal.timeout(LAST_LINES_MS));
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  };
  // `once`: a second signal ends the process at once, as an impatient operator expects.
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('disconnect', stop);
  // The listener alone must not keep a process running whose work is done.
  process.channel?.unref();
}
