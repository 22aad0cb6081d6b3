import { type Setting, type SettingsTable, variableOf } from './setting.ts';

/** Tables of settings under names that the operator chooses, such as `upstreams.NAME.base_url`. */
export type FamilyTables = Readonly<Record<string, SettingsTable>>;

/** A family whose members a file of their own may add to. */
export interface MoreMembers {
  readonly family: string;
  /** The key of the setting with the file's path. */
  readonly key: string;
}

/** All settings of a service. */
export interface SettingsDeclaration<Table extends SettingsTable, Families extends FamilyTables> {
  /** The settings with a fixed key, such as `server.port`. */
  readonly table: Table;
  readonly families?: Families;
  /** The prefix of every variable: with `PROXY`, `server.port` is `PROXY_SERVER_PORT`. */
  readonly prefix: string;
  /**
   * The file that is read, if it exists, when none is named; `winnow-PREFIX.yaml` by default, empty for none.
   */
  readonly defaultFile?: string;
  /** The family that a second file may add members to. */
  readonly more?: MoreMembers;
  /** Names that no member of a family may have. */
  readonly reservedNames?: readonly string[];
  /** Values that apply before anything is set, by key. They may name members of families. */
  readonly builtIn?: Readonly<Record<string, unknown>>;
  /** Sections that a specification names differently, by that name: `{ 'pipes.tool_discovery': 'tools' }`. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Keys that are accepted and have no effect. */
  readonly ignored?: readonly string[];
}

/** A declaration of any service. */
export type AnyDeclaration = SettingsDeclaration<SettingsTable, FamilyTables>;

/** One setting in documentation. */
export interface SettingEntry {
  /** Its name in its table. */
  readonly name: string;
  /** Its key in a file; `NAME` stands for the operator's choice. */
  readonly key: string;
  readonly variable: string;
  readonly setting: Setting<unknown>;
}

/** Returns every setting of a service, in the order of its tables. */
export function entriesOf({ table, families = {}, prefix }: AnyDeclaration): SettingEntry[] {
  const listed = (settings: SettingsTable, start: string) =>
    Object.entries(settings).map(([name, setting]) => {
      const key = `${start}${setting.key ?? name}`;
      return { name, key, variable: variableOf(prefix, key), setting };
    });
  const named = Object.entries(families).map(([family, members]) => listed(members, `${family}.NAME.`));
  return [...listed(table, ''), ...named.flat()];
}

/** Returns the default of a setting as text for a file; undefined when there is none. */
export function printDefault({ setting }: SettingEntry): string | undefined {
  return isUnset(setting, setting.default) ? undefined : setting.print(setting.default);
}

/** Whether a value is equivalent to no value. */
export function isUnset({ spentBy, isRestriction }: Setting<unknown>, value: unknown): boolean {
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
  return value === undefined || ((spentBy !== undefined || isRestriction === true) && isEmpty);
}
