import { setImmediate as nextTurn } from 'node:timers/promises';
import { LineOutput } from './log.ts';
import { type Reloaded, type Reloading, watchSettings } from './reload-settings.ts';
import { EXIT, refuseToStart, type StartCommand, settingsToStartWith } from './service-command.ts';
import type { ServiceSettings } from './settings/read-service.ts';
import type { RunningService } from './start-serving.ts';
import type { Clock, Tracer } from './tracing/span.ts';
import { exportStateLine, startTracing } from './tracing/start-tracing.ts';

/** The effects that a service takes from its process. */
interface ProcessEffects extends Clock {
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
  /** Returns the number of log lines that could not be written so far. */
  readonly lostLines: () => number;
  readonly tracer: Tracer;
}

interface ServiceProcess<Settings, Service extends RunningService> {
  readonly command: StartCommand;
  /** Its name in traces, such as `winnow-selector`. */
  readonly serviceName: string;
  /** Reads the settings from the environment and from the file on the command line. */
  readonly readSettings: (file: string | undefined) => ServiceSettings<Settings>;
  /** Rejects when it cannot start; the message tells what to do. */
  readonly start: (settings: Settings, effects: ProcessEffects) => Promise<Service>;
  /** Takes settings over while the service runs; a service without it ends on SIGHUP. */
  readonly reload?: (service: Service, settings: Settings) => Reloaded;
  /** Prints a greeting on stderr, so that stdout stays a stream of JSON lines. */
  readonly greet: (service: Service, settings: Settings) => void;
}

/**
 * Runs a service from the command line and the environment until it stops, and sets the exit code when it
 * cannot start.
 */
export async function runService<Settings, Service extends RunningService>({
  command,
  serviceName,
  readSettings,
  start,
  reload,
  greet,
}: ServiceProcess<Settings, Service>): Promise<void> {
  const outcome = settingsToStartWith<Settings, ServiceSettings<Settings>>(command, readSettings);
  if (outcome === undefined) return;
  const output = new LineOutput(process.stdout);
  process.once('exit', () => output.flush());
  const clock: Clock = { now: () => performance.now(), wallClock: () => Date.now() };
  try {
    const tracing = await startTracing({
      settings: outcome.tracing,
      serviceName,
      clock,
      onChange: (state) => output.write(exportStateLine(state, clock.wallClock())),
    });
    const service = await start(outcome.settings, {
      ...clock,
      writeLog: (lines) => output.write(lines),
      lostLines: () => output.lost,
      tracer: tracing.tracer,
    });
    stopOnSignal({ service, tracing, output });
    if (reload) {
      let { files } = outcome;
      let warnings: readonly string[] = [];
      const reloadAll = () => {
        const read = readSettings(outcome.configFile);
        files = read.files;
        warnings = read.ok ? (read.warnings ?? []) : [];
        return read.ok ? reload(service, read.settings) : read;
      };
      reloadOnSignal({
        files: () => files,
        reload: reloadAll,
        tell: (reloaded) => output.write(reloadLine(reloaded, warnings, clock.wallClock())),
      });
    }
    greet(service, outcome.settings);
  } catch (error) {
    refuseToStart(command.name, [(error as Error).message], EXIT.cannotStart);
  }
}

const WATCH_MS = 1_000;

/**
 * Reloads settings on SIGHUP and when their file changes. With a terminal, SIGHUP means that it was closed, and
 * ends the process as it does by default.
 */
function reloadOnSignal(reloading: Reloading): void {
  const { check, reload } = watchSettings(reloading);
  setInterval(check, WATCH_MS).unref();
  if (!process.stdin.isTTY && !process.stdout.isTTY) process.on('SIGHUP', reload);
}

function reloadLine(reloaded: Reloaded, warnings: readonly string[], timeMs: number): string {
  const { ok: _, ...about } = reloaded;
  const event = reloaded.ok
    ? { level: 'info', event: 'settings_reloaded', ...about, ...(warnings.length > 0 && { warnings }) }
    : { level: 'warn', event: 'settings_refused', problems: reloaded.problems };
  return `${JSON.stringify({ time: new Date(timeMs).toISOString(), ...event })}\n`;
}

/** The parts that stop with the process, in this order. */
interface Ending {
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
function stopOnSignal({ service, tracing, output }: Ending): void {
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
