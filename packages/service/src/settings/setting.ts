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
  /** Whether the value is the path of a file whose content is taken over when it changes. */
  readonly isWatched?: true;
  /** Its key in a file, such as `server.port`; by default its name in the table. */
  readonly key?: string;
  /** The former name of its variable, from before variables followed keys. It is accepted with a warning. */
  readonly formerly?: string;
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

/** Returns a setting with its key in a file, and the former name of its variable if that differs. */
export function at<Value>(key: string, setting: Setting<Value>, formerly?: string): Setting<Value> {
  return { ...setting, key, ...(formerly !== undefined && { formerly }) };
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
