import {
  type CommandOption,
  EXIT,
  readCommandLine,
  refuseToStart,
  type ServiceCommand,
} from './service-command.ts';
import type { ServiceSettings } from './settings/read-service.ts';

/** The command that starts a service. */
export type StartCommand = Omit<ServiceCommand<never>, 'options'>;

/** An option that prints something about the settings in place of starting. */
export interface Explanation<Settings> {
  /** The option, such as `explain-profile`, and its help. */
  readonly name: string;
  readonly help: string;
  /** Options for it alone, each with a value. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Returns the text to print. */
  readonly print: (settings: Settings, values: Readonly<Record<string, string | undefined>>) => string;
}

/** Returns the problems, with the source of the values unless each problem names it. */
function withSource({
  problems,
  file,
}: Extract<ServiceSettings<unknown>, { readonly ok: false }>): readonly string[] {
  if (file === undefined || problems.every((problem) => problem.includes(file))) return problems;
  return [...problems, `The settings come from ${file} and from environment variables.`];
}

const OPTIONS = {
  config: { type: 'string', value: 'FILE', help: 'read settings from this YAML file' },
  'print-config': { type: 'boolean', help: 'print every setting as a file that --config reads, and exit' },
} as const;

/**
 * Returns the settings that a service starts with, according to its command line. Undefined when there is
 * nothing to start: the help, version or settings were printed, or a problem was printed to stderr and the
 * exit code set for bad settings. `configFile` is the file on the command line. Warnings about former names of settings go to stderr.
 */
export function settingsToStartWith<Settings, Outcome extends ServiceSettings<Settings>>(
  command: StartCommand,
  readSettings: (file: string | undefined) => Outcome,
  explanation?: Explanation<Settings>,
): (Extract<Outcome, { readonly ok: true }> & { readonly configFile: string | undefined }) | undefined {
  const explaining = explanation && {
    [explanation.name]: { type: 'boolean', help: explanation.help } as const,
    ...explanation.options,
  };
  const options = readCommandLine(
    { ...command, options: { ...OPTIONS, ...explaining } },
    process.argv.slice(2),
  );
  if (options === undefined) return undefined;
  const given = options as Readonly<Record<string, string | undefined>>;
  const isExplaining = explanation !== undefined && Boolean(given[explanation.name]);
  const stray = Object.keys(explanation?.options ?? {}).find((name) => given[name] !== undefined);
  if (stray !== undefined && !isExplaining) {
    const problem = `--${stray} has no effect without --${explanation!.name}.`;
    refuseToStart(command.name, [problem], EXIT.badSettings);
    return undefined;
  }
  const outcome: ServiceSettings<Settings> = readSettings(options.config);
  if (!outcome.ok) {
    refuseToStart(command.name, withSource(outcome), EXIT.badSettings);
    return undefined;
  }
  for (const warning of outcome.warnings) console.error(`${command.name}: ${warning}`);
  if (isExplaining) {
    process.stdout.write(explanation.print(outcome.settings, given));
    return undefined;
  }
  if (!options['print-config']) {
    return { ...(outcome as Extract<Outcome, { readonly ok: true }>), configFile: options.config };
  }
  process.stdout.write(outcome.print());
  return undefined;
}
