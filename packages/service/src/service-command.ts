import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { ServiceSettings } from './settings/read-service.ts';

/** Exit codes of services, for an operator's tools. */
export const EXIT = { cannotStart: 1, badSettings: 2, drainTimedOut: 3 } as const;

/** An option of a service's command line. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Its description in `--help`. */
  readonly help: string;
  /** The placeholder of its value in `--help`, such as `FILE`. */
  readonly value?: string;
}

/** Options that every service has. */
const COMMON = {
  version: { type: 'boolean', help: 'print the version and exit' },
  help: { type: 'boolean', short: 'h', help: 'print this text and exit' },
} as const satisfies Record<string, CommandOption>;

/** The command that starts a service. */
export interface ServiceCommand<Options extends Readonly<Record<string, CommandOption>>> {
  /** The name that begins its messages, such as `winnow selector`. */
  readonly name: string;
  readonly version: string;
  /** The text before its options, such as `npm run start:selector --`. */
  readonly start: string;
  /** One sentence about the purpose of the service. */
  readonly summary: string;
  /** Options in addition to `--version` and `--help`. */
  readonly options: Options;
  /** A sentence about where everything else is set. */
  readonly settings: string;
}

/** The values of a command line's options. */
export type OptionValues<Options> = {
  readonly [Name in keyof Options]?: Options[Name] extends { type: 'boolean' } ? boolean : string;
};

/**
 * Returns the options of a command line; undefined when the process should end. It ends after printing the
 * help or the version, or after an unknown option, which is reported and sets the exit code for bad settings:
 * an ignored option would be taken for one that works.
 */
export function readCommandLine<Options extends Readonly<Record<string, CommandOption>>>(
  command: ServiceCommand<Options>,
  words: readonly string[],
): OptionValues<Options> | undefined {
  const options = { ...command.options, ...COMMON };
  try {
    const { values } = parseArgs({ args: [...words], options: options as ParseArgsConfig['options'] & {} });
    if (values.help) process.stdout.write(usage(command, options));
    else if (values.version) process.stdout.write(`${command.name} ${command.version}\n`);
    else return values as OptionValues<Options>;
  } catch (error) {
    const known = new Intl.ListFormat('en-GB', { style: 'long' }).format(Object.entries(options).map(spell));
    const problems = [(error as Error).message, `There are ${known}. ${command.settings}`];
    refuseToStart(command.name, problems, EXIT.badSettings);
  }
  return undefined;
}

/** Prints the reasons why a service does not start, one line for each problem, and sets the exit code. */
export function refuseToStart(name: string, problems: readonly string[], exitCode: number): void {
  for (const problem of problems) console.error(`${name}: ${problem}`);
  process.exitCode = exitCode;
}

function usage(
  { start, summary, settings }: Omit<ServiceCommand<never>, 'options'>,
  options: Readonly<Record<string, CommandOption>>,
): string {
  const entries = Object.entries(options);
  const width = Math.max(...entries.map((entry) => spell(entry).length));
  const lines = entries.map((entry) => `  ${spell(entry).padEnd(width)}   ${entry[1].help}`);
  return `Usage: ${start} [options]\n\n${summary}\n\n${lines.join('\n')}\n\n${settings}\n`;
}

function spell([name, { value }]: readonly [string, CommandOption]): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** The command that starts a service. */
export type StartCommand = Omit<ServiceCommand<never>, 'options'>;

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
 * exit code set for bad settings. `configFile` is the file on the command line.
 */
export function settingsToStartWith<Settings, Outcome extends ServiceSettings<Settings>>(
  command: StartCommand,
  readSettings: (file: string | undefined) => Outcome,
): (Extract<Outcome, { readonly ok: true }> & { readonly configFile: string | undefined }) | undefined {
  const options = readCommandLine({ ...command, options: OPTIONS }, process.argv.slice(2));
  if (options === undefined) return undefined;
  const outcome: ServiceSettings<Settings> = readSettings(options.config);
  if (!outcome.ok) {
    refuseToStart(command.name, withSource(outcome), EXIT.badSettings);
    return undefined;
  }
  for (const warning of outcome.warnings ?? []) console.error(`${command.name}: ${warning}`);
  if (!options['print-config']) {
    return { ...(outcome as Extract<Outcome, { readonly ok: true }>), configFile: options.config };
  }
  process.stdout.write(outcome.print());
  return undefined;
}
