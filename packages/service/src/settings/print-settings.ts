import { type AnyDeclaration, entriesOf, isUnset, type SettingEntry } from './declaration.ts';
import { variableOf } from './setting.ts';

/** Values to print, as they were read. */
export interface PrintedValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly members: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly originOf: (key: string) => string | undefined;
}

/**
 * Writes settings as a file that the service reads, one line each. A secret stands as the variable that it must come from. Lines that begin
 * with # set nothing: a setting without a value, and one of `onlyIfSet`, whose default must not count as set.
 */
export function printSettings(
  declaration: AnyDeclaration,
  { values, members, originOf }: PrintedValues,
  onlyIfSet: (key: string) => boolean = () => false,
): string {
  const { prefix, families = {} } = declaration;
  const line = ({ name, setting }: SettingEntry, key: string, from: Readonly<Record<string, unknown>>) => {
    const value = from[name];
    if (isUnset(setting, value)) return `# ${key}: (not set)\n`;
    const text = setting.isSecret ? `\${${variableOf(prefix, key)}}` : setting.print(value);
    return `${onlyIfSet(key) && originOf(key) === undefined ? '# ' : ''}${key}: ${text}\n`;
  };
  const isFixed = ({ key }: SettingEntry) => !Object.hasOwn(families, key.split('.')[0]!);
  const entries = entriesOf(declaration);
  const fixed = entries.filter(isFixed).map((entry) => line(entry, entry.key, values));
  const named = Object.keys(families).flatMap((family) =>
    Object.entries(members[family] ?? {}).flatMap(([name, fields]) =>
      entries
        .filter(({ key }) => key.startsWith(`${family}.NAME.`))
        .map((entry) => line(entry, `${family}.${name}.${entry.name}`, fields)),
    ),
  );
  return [...fixed, ...named].join('');
}
