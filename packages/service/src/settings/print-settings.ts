import { type AnyDeclaration, entriesOf, isUnset } from './declaration.ts';
import { type SettingsTable, variableOf } from './setting.ts';

/** The values to print, as they were read. */
export interface PrintedValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly members: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly originOf: (key: string) => string | undefined;
  readonly referenceOf: (key: string) => string | undefined;
}

/**
 * Writes settings as a file that the service reads, one line each. A secret is written as its file, or
 * else as the variable that must supply it. Lines that begin with # set nothing: a setting without a value, or one of `onlyIfSet`,
 * whose default must not count as set.
 */
export function printSettings(
  declaration: AnyDeclaration,
  { values, members, originOf, referenceOf }: PrintedValues,
  onlyIfSet: (key: string) => boolean = () => false,
): string {
  const { table, families = {}, prefix } = declaration;
  const printSecret = (key: string) => referenceOf(key) ?? `\${${variableOf(prefix, key)}}`;
  const lines = (settings: SettingsTable, start: string, from: Readonly<Record<string, unknown>>) =>
    entriesOf({ table: settings, prefix }).map(({ name, setting, key: end }) => {
      const key = `${start}${end}`;
      const value = from[name];
      if (isUnset(setting, value)) return `# ${key}: (not set)\n`;
      const text = setting.spentBy ? printSecret(key) : setting.print(value);
      return `${onlyIfSet(key) && originOf(key) === undefined ? '# ' : ''}${key}: ${text}\n`;
    });
  const named = Object.entries(families).flatMap(([family, fields]) =>
    Object.entries(members[family] ?? {}).flatMap(([name, own]) => lines(fields, `${family}.${name}.`, own)),
  );
  return [...lines(table, '', values), ...named].join('');
}
