import { EXIT, readCommandLine, refuseToStart, type ServiceCommand } from './service-command.ts';
import type { ServiceSettings } from './settings/read-service.ts';

/** The command that starts a service. */
export type StartCommand = Omit<ServiceCommand<never>, 'options'>;

/** The outcome of reading settings, reduced to the parts that starting needs. */
type ReadOutcome =
  | Pick<Extract<ServiceSettings<unknown>, { readonly ok: true }>, 'ok' | 'warnings' | 'print'>
  | Extract<ServiceSettings<unknown>, { readonly ok: false }>;

/** Returns the problems, with the source of the values unless each problem names it. */
function withSource({ problems, file }: Extract<ReadOutcome, { readonly ok: false }>): readonly string[] {
  if (file === undefined || problems.every((problem) => problem.includes(file))) return problems;
  return [...problems, `The settings come from ${file} and from environment variables.`];
}

const OPTIONS = {
  config: { type: 'string', value: 'FILE', help: 'read settings from this YAML file' },
  'print-config': { type: 'boolean', help: 'print every setting as a file that --config reads, and end' },
} as const;

/**
 * Returns the settings that a service starts with, according to its command line. Undefined when there is
 * nothing to start: the help, version or settings were printed, or a problem was printed to stderr and the
 * exit code set for bad settings. `configFile` is the file on the command line. Warnings about former names of settings go to stderr.
 */
export function settingsToStartWith<Outcome extends ReadOutcome>(
  command: StartCommand,
  readSettings: (file: string | undefined) => Outcome,
): (Extract<Outcome, { readonly ok: true }> & { readonly configFile: string | undefined }) | undefined {
  const options = readCommandLine({ ...command, options: OPTIONS }, process.argv.slice(2));
  if (options === undefined) return undefined;
  const outcome: ReadOutcome = readSettings(options.config);
  if (!outcome.ok) {
    refuseToStart(command.name, withSource(outcome), EXIT.badSettings);
    return undefined;
  }
  for (const warning of outcome.warnings) console.error(`${command.name}: ${warning}`);
  if (!options['print-config']) {
    return { ...(outcome as Extract<Outcome, { readonly ok: true }>), configFile: options.config };
  }
  process.stdout.write(outcome.print());
  return undefined;
}
