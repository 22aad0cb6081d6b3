import { readTracingSettings, type TracingSettings } from '../tracing/tracing-settings.ts';
import type { FamilyTables, SettingsDeclaration } from './declaration.ts';
import { printSettings } from './print-settings.ts';
import { readSettings, type SettingsSources } from './read-settings.ts';
import type { SettingsTable, ValuesOf } from './setting.ts';

/**
 * The settings of a service, or all of their problems: one sentence each, which names the key or variable and
 * the allowed values.
 */
export type ServiceSettings<Settings> =
  | {
      readonly ok: true;
      readonly settings: Settings;
      /** Undefined when tracing is off. */
      readonly tracing: TracingSettings | undefined;
      /** Former names in use, one sentence each, with the new name and value. */
      readonly warnings: readonly string[];
      /**
       * Writes the settings as a file that the service reads; a secret is written as its file,
       * or else as the variable that must supply it.
       */
      readonly print: () => string;
      /** Every file whose content matters, the settings' own first. */
      readonly files: readonly string[];
    }
  | {
      readonly ok: false;
      readonly problems: readonly string[];
      /** The file that was read; undefined if there is none. */
      readonly file: string | undefined;
      readonly files: readonly string[];
    };

/**
 * Reads the settings of a service, and the standard variables of OpenTelemetry.
 *
 * @param check returns the problems of the values together, one sentence each
 */
export function readService<Table extends SettingsTable, Families extends FamilyTables>(
  declaration: SettingsDeclaration<Table, Families>,
  sources: SettingsSources,
  check: (values: ValuesOf<Table>) => readonly string[],
): ServiceSettings<ValuesOf<Table>> {
  const read = readSettings(declaration, sources);
  const traced = readTracingSettings(sources.environment);
  const problems = [...read.problems, ...check(read.values), ...(traced.ok ? [] : traced.problems)];
  if (!traced.ok || problems.length > 0) return { ok: false, problems, file: read.file, files: read.files };
  return {
    ok: true,
    settings: read.values,
    tracing: traced.tracing,
    warnings: read.warnings,
    print: () => printSettings(declaration, read),
    files: read.files,
  };
}
