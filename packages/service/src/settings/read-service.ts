import { readTracingSettings, type TracingSettings } from '../tracing/tracing-settings.ts';
import { readSettings, type SettingsSources } from './read-settings.ts';
import {
  type AnyDeclaration,
  entriesOf,
  type FamilyTables,
  isUnset,
  type SettingsDeclaration,
  type SettingsTable,
  type ValuesOf,
  variableOf,
} from './setting.ts';

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
      /** Settings that have no effect, one sentence each. */
      readonly warnings?: readonly string[];
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
 * @param limits values that no setting changes
 */
export function readService<Table extends SettingsTable, Families extends FamilyTables, Limits>(
  declaration: SettingsDeclaration<Table, Families>,
  sources: SettingsSources,
  check: (values: ValuesOf<Table>) => readonly string[],
  limits: Limits,
): ServiceSettings<ValuesOf<Table> & Limits> {
  const read = readSettings(declaration, sources);
  const traced = readTracingSettings(sources.environment);
  const problems = [...read.problems, ...check(read.values), ...(traced.ok ? [] : traced.problems)];
  if (!traced.ok || problems.length > 0) return { ok: false, problems, file: read.file, files: read.files };
  return {
    ok: true,
    settings: { ...read.values, ...limits },
    tracing: traced.tracing,
    print: () => printSettings(declaration, read),
    files: read.files,
  };
}

/** The values to print, as they were read. */
export interface PrintedValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly members: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly referenceOf: (key: string) => string | undefined;
}

/**
 * Writes settings as a file that the service reads, one line each. A secret is written as its file, or
 * else as the variable that must supply it. A setting without a value is a line that begins with #.
 */
export function printSettings(
  declaration: AnyDeclaration,
  { values, members, referenceOf }: PrintedValues,
): string {
  const { table, families = {}, prefix } = declaration;
  const printSecret = (key: string) => referenceOf(key) ?? `\${${variableOf(prefix, key)}}`;
  const lines = (settings: SettingsTable, start: string, from: Readonly<Record<string, unknown>>) =>
    entriesOf({ table: settings, prefix }).map(({ name, setting, key: end }) => {
      const key = `${start}${end}`;
      const value = from[name];
      if (isUnset(setting, value)) return `# ${key}: (not set)\n`;
      const text = setting.spentBy ? printSecret(key) : setting.print(value);
      return `${key}: ${text}\n`;
    });
  const named = Object.entries(families).flatMap(([family, fields]) =>
    Object.entries(members[family] ?? {}).flatMap(([name, own]) => lines(fields, `${family}.${name}.`, own)),
  );
  return [...lines(table, '', values), ...named].join('');
}
