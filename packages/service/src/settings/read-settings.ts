import { isDeepStrictEqual } from 'node:util';
import { editDistance } from '@winnow/core';
import { nearestName } from '../nearest-name.ts';
import { readConfigFile } from './config-file.ts';
import {
  type AnyDeclaration,
  defaultsOf,
  entriesOf,
  type FamilyTables,
  isLinkedAddress,
  isServiceLink,
  type Setting,
  type SettingsDeclaration,
  type SettingsTable,
  spell,
  type ValuesOf,
  variableOf,
} from './setting.ts';
import { isFileReference, readFile, substituteFiles } from './substitute.ts';

/** The environment that a process was started with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The sources of values. */
export interface SettingsSources {
  /** A file that must exist. */
  readonly file?: string | undefined;
  readonly environment: Environment;
}

/** The values of a family's members, by name, in the order of their first setting. */
type MembersOf<Families> = {
  readonly [Family in keyof Families]: Readonly<Record<string, ValuesOf<Families[Family]>>>;
};

/** Settings as they were read. */
export interface ReadSettings<Table, Families> {
  readonly values: ValuesOf<Table>;
  readonly members: MembersOf<Families>;
  /**
   * Returns the beginning of a sentence about a key that was set: its line, or its variable. Undefined when
   * only a built-in value or the default applies.
   */
  readonly originOf: (key: string) => string | undefined;
  /** Returns the reference to a file that a key's value was read from, such as `${file:/run/secrets/key}`. */
  readonly referenceOf: (key: string) => string | undefined;
  /** The file that was read; undefined if there is none. */
  readonly file: string | undefined;
  /** Every file whose content matters, whether it exists or not. */
  readonly files: readonly string[];
  /** All problems, one sentence each. */
  readonly problems: readonly string[];
}

/** The prefix of variables that were probably meant for one of the services. */
const PRODUCT = 'WINNOW';

/**
 * Reads settings: built-in values, then the file, then environment variables.
 *
 * Nothing is guessed. An unknown key or variable, a value that is not allowed, and two values for one key in
 * the same source are problems that name the key, its place and the allowed values. An empty variable counts
 * as not set, unless the setting reads it. No problem repeats a value: it may be a secret in the wrong place.
 */
export function readSettings<Table extends SettingsTable, Families extends FamilyTables>(
  declaration: SettingsDeclaration<Table, Families>,
  { file, environment }: SettingsSources,
): ReadSettings<Table, Families> {
  const reading = new Reading(declaration);
  const { defaultFile = `winnow-${declaration.prefix.toLowerCase()}.yaml` } = declaration;
  const path = file ?? defaultFile;
  const text = path === '' ? '' : readFile(path);
  if (text !== undefined || file === undefined) reading.takeAll(path, text ?? '', environment);
  else reading.problems.push(`The configuration file ${file} cannot be read.`);
  return {
    values: reading.values as ValuesOf<Table>,
    members: reading.members as MembersOf<Families>,
    originOf: (key) => reading.originOf(key),
    referenceOf: (key) => reading.referenceOf(key),
    file: text === undefined || text === '' ? undefined : path,
    files: [...new Set([...(path === '' ? [] : [path]), ...reading.files, ...reading.watchedFiles()])],
    problems: reading.problems,
  };
}

/** Returns the variables of a service's settings, excluding those of families. */
export function variablesOf(declaration: AnyDeclaration): ReadonlySet<string> {
  return new Set(new Reading(declaration).byVariable.keys());
}

/** A value and its key; `origin` begins the sentence about its problem. */
interface Given {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
  /** The reference to a file that the value was read from. */
  readonly reference?: string;
}

/** A place for a value. */
interface Target {
  /** The key that documents use. */
  readonly key: string;
  readonly setting: Setting<unknown>;
  readonly values: Record<string, unknown>;
  readonly field: string;
}

/** The most members of a family, each of which a reload compares with all others. */
const MOST_MEMBERS = 1_000;

/** A member's name, which must be valid as the first segment of a path and as a part of a variable. */
const NAME = /^[a-z][a-z0-9-]*$/;

/** Collects values; later ones replace earlier ones. */
class Reading {
  readonly problems: string[] = [];
  /** Files that were read besides the first. */
  readonly files: string[] = [];
  readonly values: Record<string, unknown>;
  readonly members: Record<string, Record<string, Record<string, unknown>>>;
  /** The key that each variable sets. */
  readonly byVariable = new Map<string, Pick<Given, 'key'>>();
  readonly #declaration: AnyDeclaration;
  readonly #byKey = new Map<string, Target>();
  readonly #knownKeys: readonly string[];
  /** Names of members that were read, by their family. */
  readonly #names = new Map<string, Set<string>>();
  readonly #origins = new Map<string, string>();
  readonly #references = new Map<string, string | undefined>();

  constructor(declaration: AnyDeclaration) {
    const { table, families = {}, prefix, builtIn = {}, synonyms = {} } = declaration;
    this.#declaration = declaration;
    this.values = { ...defaultsOf(table) };
    this.members = Object.fromEntries(Object.keys(families).map((family) => [family, {}]));
    const entries = entriesOf(declaration);
    this.#knownKeys = entries.map(({ key }) => key);
    for (const { name, key, setting } of entries.slice(0, Object.keys(table).length)) {
      const target = { key, setting, values: this.values, field: name };
      for (const one of [key, ...specifiedKeys(key, synonyms)]) {
        this.#byKey.set(one, target);
        this.byVariable.set(variableOf(prefix, one), { key: one });
      }
    }
    this.#takeLayer(Object.entries(builtIn).map(([key, value]) => ({ key, value, origin: key })));
    this.#origins.clear();
  }

  originOf(key: string): string | undefined {
    return this.#origins.get(key);
  }

  referenceOf(key: string): string | undefined {
    return this.#references.get(key);
  }

  /** Returns the files that settings name and whose content matters. */
  watchedFiles(): readonly string[] {
    const { table } = this.#declaration;
    return Object.entries(table).flatMap(([name, { watchedFiles }]) => {
      const path = this.values[name];
      return watchedFiles && typeof path === 'string' && path !== '' ? watchedFiles(path) : [];
    });
  }

  takeAll(file: string, text: string, environment: Environment): void {
    this.#takeLayer(this.#fileEntries(file, text, environment));
    this.#takeLayer(this.#environmentEntries(environment));
  }

  #fileEntries(file: string, text: string, environment: Environment): readonly Given[] {
    const { entries, problems, files } = readConfigFile(text, environment);
    this.files.push(...files);
    this.problems.push(...problems.map((problem) => `${file}: ${problem}`));
    return entries.map(({ path, line, ...entry }) => {
      const key = path.join('.');
      return { ...entry, key, origin: `${file}: Line ${line}: ${key}` };
    });
  }

  /** Takes the values of one source, in which no key may have two values. */
  #takeLayer(layer: Iterable<Given>): void {
    const taken = new Map<string, { readonly origin: string; readonly data: unknown }>();
    for (const given of layer) {
      const { origin } = given;
      const target = this.#target(given);
      const data = target && this.#take(given, target);
      if (!target || data === undefined) continue;
      const { key } = target;
      const other = taken.get(key);
      if (other && !isDeepStrictEqual(other.data, data)) {
        this.problems.push(`${other.origin} and ${origin} set ${key} to different values: leave one out.`);
      }
      taken.set(key, { origin, data });
    }
  }

  /** Stores and returns a value; undefined when it is invalid or not set. */
  #take({ value, origin, reference }: Given, { key, setting, values, field }: Target): unknown {
    // A key without a value, such as `always_keep:` at the end of a line, keeps the earlier value.
    if (value === undefined && !setting.isRestriction) return undefined;
    const result = setting.schema.safeParse(value ?? '');
    if (!result.success) {
      this.problems.push(`${origin} must be ${setting.allowed}.`);
      return undefined;
    }
    if (setting.isRestriction && (result.data as readonly unknown[]).length === 0) {
      this.problems.push(`${origin} must not be empty: leave it out to admit all.`);
      return undefined;
    }
    this.#origins.set(key, origin);
    this.#references.set(key, reference);
    values[field] = result.data;
    return result.data;
  }

  #target({ key, value, origin }: Given): Target | undefined {
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    const [family = '', name, ...fields] = key.split('.');
    if (Object.hasOwn(this.members, family) && name !== undefined && (fields.length > 0 || isEmpty)) {
      return this.#memberTarget(family, name, fields.join('.'), origin);
    }
    const target = this.#byKey.get(key);
    if (target) return target;
    // An empty section, such as `redis:` with all of its keys commented out, sets nothing.
    const isSection = [...this.#byKey.keys()].some((known) => known.startsWith(`${key}.`));
    if (isEmpty && (isSection || Object.hasOwn(this.members, key))) return undefined;
    this.problems.push(
      `${origin} is not a setting; the nearest one is ${nearestName(key, this.#knownKeys)}.`,
    );
    return undefined;
  }

  #memberTarget(family: string, name: string, field: string, origin: string): Target | undefined {
    const { families = {}, reservedNames = [] } = this.#declaration;
    if (!NAME.test(name) || reservedNames.includes(name)) {
      this.problems.push(
        `${origin}: a name in \`${family}\` must be lower-case letters, digits and -, and none of ${reservedNames.join(', ')}.`,
      );
      return undefined;
    }
    const table = families[family]!;
    const members = this.members[family]!;
    if (members[name] === undefined) {
      const names = this.#names.get(family) ?? new Set();
      this.#names.set(family, names);
      if (names.size === MOST_MEMBERS && !names.has(name))
        this.problems.push(`${family} may have ${MOST_MEMBERS} entries at most.`);
      names.add(name);
      if (names.size > MOST_MEMBERS) return undefined;
      members[name] = { ...defaultsOf(table) };
    }
    if (field === '') return undefined;
    const setting: Setting<unknown> | undefined = table[field];
    if (setting) return { key: `${family}.${name}.${field}`, setting, values: members[name], field };
    const fields = Object.keys(table);
    this.problems.push(
      `${origin} is not a setting; of ${family}.${name} there are ${fields.join(', ')}, ` +
        `the nearest one is ${nearestName(field, fields)}.`,
    );
    return undefined;
  }

  *#environmentEntries(environment: Environment): Generator<Given> {
    const { prefix } = this.#declaration;
    const about = { environment, problems: this.problems, files: this.files };
    for (const [variable, text] of Object.entries(environment)) {
      if (text === undefined) continue;
      const isLinked = isLinkedAddress(text);
      const known = isLinked ? undefined : (this.byVariable.get(variable) ?? this.#memberOf(variable));
      if (known) {
        const setting = this.#byKey.get(known.key)?.setting;
        const value = substituteFiles(text, { ...about, place: variable });
        if (value === undefined || (value === '' && !setting?.readsEmpty)) continue;
        yield {
          ...known,
          value,
          origin: variable,
          ...(isFileReference(text) && { reference: text }),
        };
      } else if (!isLinked && this.#isMeant(variable) && !isServiceLink([prefix, PRODUCT], variable)) {
        const known = [...this.byVariable.keys(), ...this.#memberVariables(variable)];
        const near = nearestVariable(variable, prefix, known);
        const key = this.byVariable.get(near)?.key;
        const nearest = key === undefined ? near : variableOf(prefix, this.#byKey.get(key)!.key);
        this.problems.push(`${variable} is not a setting; the nearest one is ${nearest}.`);
      }
    }
  }

  /** Returns the variables of the members that an unknown variable may mean. */
  #memberVariables(variable: string): string[] {
    const { families = {}, prefix } = this.#declaration;
    return Object.entries(families).flatMap(([family, table]) => {
      const start = variableOf(prefix, `${family}.`);
      if (!variable.startsWith(start)) return [];
      const words = variable.slice(start.length).split('_');
      const names = words.slice(1).map((_, end) => words.slice(0, end + 1).join('_'));
      return names.flatMap((name) => Object.keys(table).map((field) => `${start}${name}_${spell(field)}`));
    });
  }

  /**
   * Whether an unknown variable was meant for this service: by its prefix, or as a setting under the name of
   * the product.
   */
  #isMeant(variable: string): boolean {
    const { prefix } = this.#declaration;
    const isMisplaced = ['', `${prefix}_`].some((start) =>
      this.byVariable.has(variable.replace(`${PRODUCT}_`, start)),
    );
    return variable.startsWith(`${prefix}_`) || (variable.startsWith(`${PRODUCT}_`) && isMisplaced);
  }

  /**
   * Returns the key of a member's variable: `PROXY_UPSTREAMS_MY_HOST_BASE_URL` sets `base_url` of the
   * upstream `my-host`, which need not be in the file.
   */
  #memberOf(variable: string): Pick<Given, 'key'> | undefined {
    const { families = {}, prefix } = this.#declaration;
    for (const [family, table] of Object.entries(families)) {
      const start = variableOf(prefix, `${family}.`);
      for (const field of Object.keys(table)) {
        const end = `_${spell(field)}`;
        if (!variable.startsWith(start) || !variable.endsWith(end)) continue;
        const spelt = variable.slice(start.length, -end.length);
        if (spelt === '') continue;
        const known = Object.keys(this.members[family]!).find((name) => spell(name) === spell(spelt));
        return { key: `${family}.${known ?? spelt.toLowerCase().replaceAll('_', '-')}.${field}` };
      }
    }
    return undefined;
  }
}

/** The most typing errors in one word. */
const FEW_ERRORS = 2;

/**
 * Returns the variable that was most likely meant: one with few typing errors, or else one with the same
 * words behind its section, with or without a unit.
 */
function nearestVariable(variable: string, prefix: string, known: readonly string[]): string {
  const nearest = nearestName(variable, known);
  if (editDistance(variable, nearest, FEW_ERRORS) <= FEW_ERRORS) return nearest;
  // Most services have their own settings and those of the server: `SELECTOR_TOKEN` means its tokens.
  const ofServer = variable.replace(`${prefix}_`, `${prefix}_SERVER_`);
  const other = nearestName(ofServer, known);
  if (editDistance(ofServer, other, FEW_ERRORS) <= FEW_ERRORS) return other;
  const words = variable.slice(prefix.length).replace(/_(MS|SECONDS|BYTES)$/, '');
  const meant = variable.startsWith(`${prefix}_`) && known.find((name) => name.endsWith(words));
  return meant || nearest;
}

/** Returns a key's names in a specification: `pipes.tool_discovery.strategy` for `tools.strategy`. */
function specifiedKeys(key: string, synonyms: Readonly<Record<string, string>>): string[] {
  return Object.entries(synonyms).flatMap(([section, ours]) =>
    key.startsWith(`${ours}.`) ? [`${section}${key.slice(ours.length)}`] : [],
  );
}
