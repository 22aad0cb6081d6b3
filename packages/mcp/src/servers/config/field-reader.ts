import { isJsonObject } from '@winnow/registry';
import { nearestName, parseDuration } from '@winnow/service';
import { expandVariables } from './expand-variables.ts';

/** Something that is wrong with a configuration, with its place, such as `mcpServers.github.args.0`. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
}

/** Options for reading texts. */
export interface TextReading {
  /** Variables that may stand in texts; undefined where none may. */
  readonly environment: Readonly<Record<string, string | undefined>> | undefined;
}

/** Reads the members of an object one after the other, and collects what is wrong with them. Takes anything, and never throws. */
export class FieldReader {
  readonly problems: ConfigProblem[] = [];
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #reading: TextReading;
  readonly #read = new Set<string>();

  constructor(value: unknown, path: string, reading: TextReading) {
    this.#path = path;
    this.#reading = reading;
    this.#members = isJsonObject(value) ? value : {};
    if (!isJsonObject(value)) this.refuse('', 'must be an object');
  }

  /** Whether a member is there; `null` counts as missing. */
  has(key: string): boolean {
    return Object.hasOwn(this.#members, key) && this.#members[key] !== null;
  }

  refuse(key: string, message: string): undefined {
    this.problems.push({ path: key === '' ? this.#path : `${this.#path}.${key}`, message });
    return undefined;
  }

  text(key: string): string | undefined {
    const value = this.#take(key);
    return value === undefined ? undefined : this.#expand(key, value);
  }

  /** A text of these characters. */
  textLike(key: string, form: RegExp, allowed: string): string | undefined {
    const text = this.text(key);
    return text === undefined || form.test(text) ? text : this.refuse(key, `must be ${allowed}`);
  }

  texts(key: string): readonly string[] | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.refuse(key, 'must be a list of texts');
    return value.flatMap((item, place) => this.#expand(`${key}.${place}`, item) ?? []);
  }

  /** Texts by their names; numbers and booleans count as their texts. */
  textsByName(key: string): Readonly<Record<string, string>> {
    const value = this.#take(key);
    if (value === undefined) return {};
    if (!isJsonObject(value)) return this.refuse(key, 'must be an object of texts') ?? {};
    const entries = Object.entries(value).flatMap(([name, one]) => {
      const isPlain = typeof one === 'number' || typeof one === 'boolean';
      const text = this.#expand(`${key}.${name}`, isPlain ? String(one) : one);
      return text === undefined ? [] : [[name, text] as const];
    });
    return Object.fromEntries(entries);
  }

  flag(key: string): boolean | undefined {
    const value = this.#take(key);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.refuse(key, 'must be true or false');
  }

  oneOf<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.#take(key);
    if (value === undefined || choices.includes(value as Choice)) return value as Choice | undefined;
    return this.refuse(key, `must be one of ${choices.join(', ')}`);
  }

  duration(key: string, leastMs: number): number | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    const ms = typeof value === 'string' ? parseDuration(value) : undefined;
    if (ms === undefined || ms < leastMs || ms > LONGEST_MS) {
      return this.refuse(
        key,
        `must be a duration such as 30s, 5m or 1h, at least ${leastMs} ms and at most 24 days`,
      );
    }
    return ms;
  }

  wholeNumber(key: string, least: number, most: number): number | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
    return this.refuse(key, `must be a whole number from ${least} to ${most}`);
  }

  /** An object within this one. */
  inside<Result>(key: string, read: (reader: FieldReader) => Result): Result | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    const reader = new FieldReader(value, `${this.#path}.${key}`, this.#reading);
    const result = read(reader);
    this.problems.push(...reader.problems);
    return result;
  }

  /** Passes over members that are not ours; gives those that are there. */
  passOver(keys: readonly string[]): readonly string[] {
    for (const key of keys) this.#read.add(key);
    return keys.filter((key) => this.has(key));
  }

  /** Refuses every unread member, and names the nearest known one. */
  end(known: readonly string[]): void {
    for (const key of Object.keys(this.#members)) {
      if (this.#read.has(key)) continue;
      this.refuse(key, `is not a key; the nearest one is ${nearestName(key, known)}`);
    }
  }

  #take(key: string): unknown {
    this.#read.add(key);
    return this.has(key) ? this.#members[key] : undefined;
  }

  #expand(key: string, value: unknown): string | undefined {
    if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0'))
      return this.refuse(key, 'must be a text');
    const { environment } = this.#reading;
    if (environment === undefined) {
      // A caller that may add servers must not read the environment of this process.
      return value.includes('${')
        ? this.refuse(key, 'must not have variables: they are for the configuration file')
        : value;
    }
    const expansion = expandVariables(value, environment);
    return expansion.ok ? expansion.text : this.refuse(key, `cannot be read: ${expansion.problem}`);
  }
}

/** The longest time that Node's timers can wait, roughly. */
const LONGEST_MS = 24 * 86_400_000;
