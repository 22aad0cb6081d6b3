import { readFileSync } from 'node:fs';
import { nearestName } from '../nearest-name.ts';
import { readConfigFile } from './config-file.ts';
import type { Environment } from './read-variables.ts';
import { serviceLinks } from './service-links.ts';
import { defaultsOf, type Setting, type SettingsTable, type ValuesOf } from './setting.ts';

/** Families of settings under a name that the operator chooses, such as `upstreams.NAME.base_url`. */
export type FamilyTables = Readonly<Record<string, SettingsTable>>;

/** Everything that can be set in a file. */
export interface KeyedSettings<Table extends SettingsTable, Families extends FamilyTables> {
  /** Settings with a fixed key, such as `server.port`. */
  readonly table: Table;
  readonly families: Families;
  /** Names that nothing in a family may have. */
  readonly reservedNames: readonly string[];
  /** Values that hold before anything is set, by key. They may name members of families. */
  readonly builtIn: Readonly<Record<string, unknown>>;
  /** Begins the variable of every key: with `PROXY`, `server.port` is `PROXY_SERVER_PORT`. */
  readonly prefix: string;
  /** The file that is read when none is named, and need not be there. */
  readonly defaultFile: string;
  /** Sections that a specification calls otherwise, by that name: `{ 'pipes.tool_discovery': 'tools' }`. Both names are accepted. */
  readonly synonyms: Readonly<Record<string, string>>;
  /** Keys that are accepted and have no effect. */
  readonly ignored: readonly string[];
}

/** Where values come from. */
export interface SettingsSources {
  /** A file that must be there. */
  readonly file?: string | undefined;
  readonly environment: Environment;
}

/** The values of a family's members, by name, in the order in which they came. */
export type MembersOf<Families> = {
  readonly [Family in keyof Families]: Readonly<Record<string, ValuesOf<Families[Family]>>>;
};

/** What was read. */
export interface KeyedValues<Table, Families> {
  readonly values: ValuesOf<Table>;
  readonly members: MembersOf<Families>;
  /** What begins the sentence on a key that was set: its line, or its variable. Undefined when only a built-in value or the default holds. */
  readonly originOf: (key: string) => string | undefined;
  /** Everything that is wrong, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Reads settings: built-in values, then the file, then environment variables.
 *
 * Nothing is guessed: an unknown key or variable and a value that is not allowed are problems that name the key, where it stands and what
 * is allowed. No problem repeats a value: it may be a secret in the wrong place.
 */
export function readKeys<Table extends SettingsTable, Families extends FamilyTables>(
  settings: KeyedSettings<Table, Families>,
  { file, environment }: SettingsSources,
): KeyedValues<Table, Families> {
  const reading = new Reading(settings);
  const text = readText(file, settings.defaultFile);
  if (text === undefined) reading.problems.push(`The configuration file ${file} cannot be read.`);
  else reading.takeAll(text, environment);
  return {
    values: reading.values as ValuesOf<Table>,
    members: reading.members as MembersOf<Families>,
    originOf: (key) => reading.originOf(key),
    problems: reading.problems,
  };
}

/** The environment variable of a key: with the prefix `PROXY`, `server.port` is `PROXY_SERVER_PORT`. */
export function variableOf(prefix: string, key: string): string {
  return `${prefix}_${key.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()}`;
}

/** Undefined for a file that somebody named and that cannot be read. */
function readText(file: string | undefined, defaultFile: string): string | undefined {
  try {
    return readFileSync(file ?? defaultFile, 'utf8');
  } catch {
    return file === undefined ? '' : undefined;
  }
}

/** A value on its way to its setting; `origin` begins the sentence that says what is wrong with it. */
interface Given {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: string;
}

/** The first segment of a path, or a part of a variable: neither can hold more than this. */
const NAME = /^[a-z][a-z0-9-]*$/;

/** Collects values, later ones over earlier ones. */
class Reading {
  readonly problems: string[] = [];
  readonly values: Record<string, unknown>;
  readonly members: Record<string, Record<string, Record<string, unknown>>>;
  readonly #settings: KeyedSettings<SettingsTable, FamilyTables>;
  readonly #knownKeys: readonly string[];
  readonly #origins = new Map<string, string>();

  constructor(settings: KeyedSettings<SettingsTable, FamilyTables>) {
    const { table, families, builtIn } = settings;
    this.#settings = settings;
    this.values = { ...defaultsOf(table) };
    this.members = Object.fromEntries(Object.keys(families).map((family) => [family, {}]));
    this.#knownKeys = [
      ...Object.keys(table),
      ...Object.entries(families).flatMap(([family, fields]) =>
        Object.keys(fields).map((field) => `${family}.NAME.${field}`),
      ),
    ];
    for (const [key, value] of Object.entries(builtIn)) {
      this.#take({ path: key.split('.'), value, origin: key });
    }
    this.#origins.clear();
  }

  originOf(key: string): string | undefined {
    return this.#origins.get(key);
  }

  takeAll(text: string, environment: Environment): void {
    const { entries, problems } = readConfigFile(text, environment);
    this.problems.push(...problems);
    for (const { path, value, line } of entries) {
      const origin = `Line ${line}: ${path.join('.')}`;
      const key = this.#preferredKey(path.join('.'));
      if (key !== undefined) this.#take({ path: key.split('.'), value, origin });
    }
    for (const given of this.#environmentEntries(environment)) this.#take(given);
  }

  /** The key that documents use for one that may have another name; undefined for one that has no effect. */
  #preferredKey(key: string): string | undefined {
    const { synonyms, ignored } = this.#settings;
    if (ignored.includes(key)) return undefined;
    const found = Object.entries(synonyms).find(([section]) => `${key}.`.startsWith(`${section}.`));
    return found ? `${found[1]}${key.slice(found[0].length)}` : key;
  }

  #take({ path, value, origin }: Given): void {
    const target = this.#target(path, origin, value === undefined);
    // A key without a value, such as `always_keep:` at the end of a line, leaves what stands.
    if (!target || value === undefined) return;
    const result = target.setting.schema.safeParse(value);
    if (!result.success) {
      this.problems.push(`${origin} must be ${target.setting.allowed}.`);
      return;
    }
    this.#origins.set(path.join('.'), origin);
    target.values[target.field] = result.data;
  }

  #target(path: readonly string[], origin: string, isEmpty: boolean) {
    const key = path.join('.');
    const [family = '', name, field] = path;
    if (Object.hasOwn(this.members, family) && name !== undefined && (field !== undefined || isEmpty)) {
      return this.#memberTarget(family, name, path.slice(2).join('.'), origin);
    }
    if (Object.hasOwn(this.values, key)) {
      return { setting: this.#settings.table[key]!, values: this.values, field: key };
    }
    // An empty section, such as `redis:` with everything below it commented out, sets nothing.
    const isSection = this.#knownKeys.some((known) => known === key || known.startsWith(`${key}.`));
    if (isEmpty && isSection) return undefined;
    this.problems.push(
      `${origin} is not a setting; the nearest one is ${nearestName(key, this.#knownKeys)}.`,
    );
    return undefined;
  }

  #memberTarget(family: string, name: string, field: string, origin: string) {
    const { families, reservedNames } = this.#settings;
    if (!NAME.test(name) || reservedNames.includes(name)) {
      this.problems.push(
        `${origin}: a name in \`${family}\` must be small letters, digits and -, and none of ${reservedNames.join(', ')}.`,
      );
      return undefined;
    }
    const table = families[family]!;
    const members = this.members[family]!;
    members[name] ??= { ...defaultsOf(table) };
    if (field === '') return undefined;
    const setting: Setting<unknown> | undefined = table[field];
    if (setting) return { setting, values: members[name], field };
    const fields = Object.keys(table);
    this.problems.push(
      `${origin} is not a setting; of ${family}.${name} there are ${fields.join(', ')}, ` +
        `the nearest one is ${nearestName(field, fields)}.`,
    );
    return undefined;
  }

  *#environmentEntries(environment: Environment): Generator<Given> {
    const { table, prefix, synonyms, ignored } = this.#settings;
    const links = serviceLinks(prefix);
    const byVariable = new Map(Object.keys(table).map((key) => [variableOf(prefix, key), key.split('.')]));
    for (const [section, preferred] of Object.entries(synonyms)) {
      for (const key of Object.keys(table).filter((one) => one.startsWith(`${preferred}.`))) {
        byVariable.set(variableOf(prefix, `${section}${key.slice(preferred.length)}`), key.split('.'));
      }
    }
    const isIgnored = new Set(ignored.map((key) => variableOf(prefix, key)));
    for (const [variable, value] of Object.entries(environment)) {
      if (!variable.startsWith(`${prefix}_`) || links.test(variable) || isIgnored.has(variable)) continue;
      const path = byVariable.get(variable) ?? this.#memberPathOf(variable);
      if (path) yield { path, value: value === '' ? undefined : value, origin: variable };
      else {
        const nearest = nearestName(variable, [...byVariable.keys()]);
        this.problems.push(`${variable} is not a setting; the nearest one is ${nearest}.`);
      }
    }
  }

  /** `PROXY_UPSTREAMS_MY_HOST_BASE_URL` sets `base_url` of the upstream `my-host`, which need not stand in the file. */
  #memberPathOf(variable: string): string[] | undefined {
    const { families, prefix } = this.#settings;
    for (const [family, table] of Object.entries(families)) {
      const start = variableOf(prefix, `${family}.`);
      for (const field of Object.keys(table)) {
        const end = `_${spell(field)}`;
        if (!variable.startsWith(start) || !variable.endsWith(end)) continue;
        const spelt = variable.slice(start.length, -end.length);
        if (spelt === '') continue;
        const known = Object.keys(this.members[family]!).find((name) => spell(name) === spell(spelt));
        return [family, known ?? spelt.toLowerCase().replaceAll('_', '-'), field];
      }
    }
    return undefined;
  }
}

/** A name as variables spell it. */
function spell(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '_').toUpperCase();
}
