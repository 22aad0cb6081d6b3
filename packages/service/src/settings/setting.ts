import type { z } from 'zod';

/** One setting: its schema for text or YAML, its default, and the message for a wrong value. */
export interface Setting<Value> {
  readonly schema: z.ZodType<Value>;
  readonly default: Value;
  /** Completes "… must be". */
  readonly allowed: string;
  /**
   * Set for a secret, whose value must never appear in messages or in a printed configuration: the requests
   * that spend it.
   */
  readonly spentBy?: SpentBy;
  /** Whether an empty environment variable is read like any other text, instead of counting as not set. */
  readonly readsEmpty: boolean;
  /** Whether a list admits only its entries: without it all are admitted, so an empty one is refused. */
  readonly isRestriction?: true;
  /** Returns the files whose content is taken over when it changes, for a value that is a path. */
  readonly watchedFiles?: (path: string) => readonly string[];
  /** Its key in a file, such as `server.port`; by default its name in the table. */
  readonly key?: string;
  /** Writes a value as `schema` reads it from a file. */
  print(value: Value): string;
}

/**
 * The requests of a service's callers that spend one of its secrets. Without tokens, a service refuses such
 * requests of other sites' pages.
 */
export type SpentBy =
  /** No request: it admits callers, or seals data. */
  | 'no_request'
  /** Requests reach an inner service with it, and only for data that they bring themselves. */
  | 'own_data'
  /** Every request; in a family, every request to that member. */
  | 'every_request';

/** The settings of a service: the only place for their names, defaults and bounds. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table of settings, by their names in the table. */
export type ValuesOf<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : never;
};

/** Returns the values of a table when nothing is set. */
export function defaultsOf<Table extends SettingsTable>(table: Table): ValuesOf<Table> {
  return Object.fromEntries(Object.entries(table).map(([key, one]) => [key, one.default])) as ValuesOf<Table>;
}

/** Returns a setting with its key in a file. */
export function at<Value>(key: string, setting: Setting<Value>): Setting<Value> {
  return { ...setting, key };
}

/** Returns the kinds of requests that spend a secret with a value. */
export function spendersOf<Table extends SettingsTable>(
  table: Table,
  values: ValuesOf<Table>,
): ReadonlySet<SpentBy> {
  const held = Object.entries(table).filter(([name]) => String(values[name] ?? '') !== '');
  return new Set(held.flatMap(([, { spentBy }]) => spentBy ?? []));
}

/**
 * Returns the environment variable of a key: with the prefix `PROXY`, `server.port` is `PROXY_SERVER_PORT`.
 */
export function variableOf(prefix: string, key: string): string {
  return `${prefix}_${spell(key)}`;
}

/** Returns a name as variables spell it. */
export function spell(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '_').toUpperCase();
}

/** Tables of settings under names that the operator chooses, such as `upstreams.NAME.base_url`. */
export type FamilyTables = Readonly<Record<string, SettingsTable>>;

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
  /** Names that no member of a family may have. */
  readonly reservedNames?: readonly string[];
  /** Values that apply before anything is set, by key. They may name members of families. */
  readonly builtIn?: Readonly<Record<string, unknown>>;
  /** Sections that a specification names differently, by that name: `{ 'pipes.tool_discovery': 'tools' }`. */
  readonly synonyms?: Readonly<Record<string, string>>;
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

/**
 * Whether a variable is one that Kubernetes or Docker sets automatically for services that other containers
 * can reach: for one called "proxy", `PROXY_SERVICE_HOST`, `PROXY_PORT_8787_TCP_ADDR` and the like. These are
 * not settings, whatever their prefix.
 *
 * @param services the beginnings of the services' names, spelt as in these variables
 */
export function isServiceLink(services: readonly string[], variable: string): boolean {
  const start = `^(${services.join('|')})`;
  const parts = 'SERVICE_(HOST|PORT)(_\\w+)?|PORT_\\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?';
  return new RegExp(`${start}(_PORT|(_\\w+)?_(${parts}))$`).test(variable);
}

/** Whether a value is the address of a port in such a variable, for example `tcp://10.0.0.1:8787`. */
export function isLinkedAddress(text: string): boolean {
  return /^(tcp|udp):\/\//.test(text);
}
