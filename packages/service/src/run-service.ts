import {
  type Clock,
  exportStateLine,
  startTracing,
  type Tracer,
  type TracingSettings,
} from '@winnow/tracing';
import { LineOutput } from './line-output.ts';
import {
  type CommandOption,
  EXIT,
  type OptionValues,
  readCommandLine,
  refuseToStart,
  type ServiceCommand,
} from './service-command.ts';
import type { RunningService } from './start-serving.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** Settings, or everything that is wrong with them: one sentence each, which names the variable and what is allowed. */
export type ServiceSettings<Settings> =
  | {
      readonly ok: true;
      readonly settings: Settings;
      /** Undefined when tracing is off. */
      readonly tracing: TracingSettings | undefined;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What every service takes from the process around it. */
export interface ProcessEffects extends Clock {
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
  /** Log lines that could not be written so far. */
  readonly lostLines: () => number;
  readonly tracer: Tracer;
}

/** A service as a process. */
export interface ServiceProcess<
  Settings,
  Service extends RunningService,
  Options extends Readonly<Record<string, CommandOption>>,
> {
  readonly command: ServiceCommand<Options>;
  /** What traces call it, such as `winnow-selector`. */
  readonly serviceName: string;
  readonly readSettings: (options: OptionValues<Options>) => ServiceSettings<Settings>;
  /** Rejects when it cannot start; the message says what to do. */
  readonly start: (settings: Settings, effects: ProcessEffects) => Promise<Service>;
  /** Says that it runs, on stderr, so that stdout stays a stream of JSON lines. */
  readonly greet: (service: Service, settings: Settings) => void;
}

/** Runs a service from the command line and the environment to its end, and sets the exit code when it cannot start. */
export async function runService<
  Settings,
  Service extends RunningService,
  Options extends Readonly<Record<string, CommandOption>>,
>({
  command,
  serviceName,
  readSettings,
  start,
  greet,
}: ServiceProcess<Settings, Service, Options>): Promise<void> {
  const options = readCommandLine(command, process.argv.slice(2));
  if (options === undefined) return;
  const outcome = readSettings(options);
  if (!outcome.ok) return refuseToStart(command.name, outcome.problems, EXIT.badSettings);
  const output = new LineOutput(process.stdout);
  process.once('exit', () => output.flush());
  const clock: Clock = { now: () => performance.now(), wallClock: () => Date.now() };
  const tracing = await startTracing({
    settings: outcome.tracing,
    serviceName,
    clock,
    onChange: (state) => output.write(exportStateLine(state, clock.wallClock())),
  });
  try {
    const service = await start(outcome.settings, {
      ...clock,
      writeLog: (lines) => output.write(lines),
      lostLines: () => output.lost,
      tracer: tracing.tracer,
    });
    stopOnSignal({ service, tracing, output });
    greet(service, outcome.settings);
  } catch (error) {
    refuseToStart(command.name, [(error as Error).message], EXIT.cannotStart);
  }
}
