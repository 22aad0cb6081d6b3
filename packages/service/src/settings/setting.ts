import type { z } from 'zod';

/** One setting: how its value is read from text or YAML, what holds when it is not set, and what to say when it is wrong. */
export interface Setting<Value> {
  readonly schema: z.ZodType<Value>;
  readonly default: Value;
  /** Completes "… must be". */
  readonly allowed: string;
  /** Its value never appears in messages or in a printed configuration. */
  readonly isSecret: boolean;
  /** An empty environment variable is read like any other text, instead of counting as not set. */
  readonly readsEmpty: boolean;
}

/** Settings by key. A service declares its own: the one place of names, defaults and bounds. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table of settings, by key. */
export type ValuesOf<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : never;
};

/** What holds when nothing is set. */
export function defaultsOf<Table extends SettingsTable>(table: Table): ValuesOf<Table> {
  return Object.fromEntries(Object.entries(table).map(([key, one]) => [key, one.default])) as ValuesOf<Table>;
}
