import { EXIT, readCommandLine, refuseToStart, type ServiceCommand } from './service-command.ts';
import type { ServiceSettings } from './settings/read-service.ts';

/** The command that starts a service. */
export type StartCommand = Omit<ServiceCommand<never>, 'options'>;

/** Settings as they were read, as far as starting needs them. */
type ReadOutcome =
  | Pick<Extract<ServiceSettings<unknown>, { readonly ok: true }>, 'ok' | 'warnings' | 'print'>
  | Extract<ServiceSettings<unknown>, { readonly ok: false }>;

const OPTIONS = {
  config: { type: 'string', value: 'FILE', help: 'read settings from this YAML file' },
  'print-config': { type: 'boolean', help: 'print every setting as a file that --config reads, and end' },
} as const;

/**
 * The settings that a service starts with, by its command line; undefined when there is nothing to start: its help, version or settings were
 * printed, or something is wrong, which is said on stderr and makes the exit code that of bad settings. Names of settings that have a
 * successor are said on stderr.
 */
export function settingsToStartWith<Outcome extends ReadOutcome>(
  command: StartCommand,
  readSettings: (file: string | undefined) => Outcome,
): Extract<Outcome, { readonly ok: true }> | undefined {
  const options = readCommandLine({ ...command, options: OPTIONS }, process.argv.slice(2));
  if (options === undefined) return undefined;
  const outcome: ReadOutcome = readSettings(options.config);
  if (!outcome.ok) {
    refuseToStart(command.name, outcome.problems, EXIT.badSettings);
    return undefined;
  }
  for (const warning of outcome.warnings) console.error(`${command.name}: ${warning}`);
  if (!options['print-config']) return outcome as Extract<Outcome, { readonly ok: true }>;
  process.stdout.write(outcome.print());
  return undefined;
}
