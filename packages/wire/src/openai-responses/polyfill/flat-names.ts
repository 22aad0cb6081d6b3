import { hashText } from '../../hash-text.ts';

/** A function within a namespace. */
export interface QualifiedName {
  readonly namespace: string;
  readonly name: string;
}

/** The longest name of a function. Source: https://platform.openai.com/docs/api-reference/responses/create (tools). */
const MAX_CHARS = 64;

/** What stands for a name that would be too long, or is another's: so many characters of a hash. */
const HASH_CHARS = 8;

/**
 * Names without namespaces for the functions of one request: `namespace__name`, where that is a name and nobody else's.
 *
 * Names are given in the order in which they are asked for, and follow from the namespace, the name and the names given before. The client's
 * own names stay what they are.
 */
export class FlatNames {
  readonly #own: ReadonlySet<string>;
  readonly #flat = new Map<string, string>();
  readonly #qualified = new Map<string, QualifiedName>();
  #search: string | undefined;

  /** @param own names that the client has given outside of all namespaces. */
  constructor(own: ReadonlySet<string>) {
    this.#own = own;
  }

  /** The name of the function by which the model searches for tools. */
  get search(): string {
    this.#search ??= this.#free('tool_search', 'tool_search');
    return this.#search;
  }

  /** Whether a name is that of the search; never before somebody has asked for it. */
  isSearch(name: unknown): boolean {
    return this.#search !== undefined && name === this.#search;
  }

  /** The name of a function of a namespace; the same each time. */
  flatten({ namespace, name }: QualifiedName): string {
    const key = JSON.stringify([namespace, name]);
    const known = this.#flat.get(key);
    if (known !== undefined) return known;
    const flat = this.#free(`${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`, key);
    this.#flat.set(key, flat);
    this.#qualified.set(flat, { namespace, name });
    return flat;
  }

  /** The function that a flat name stands for; undefined for a name of another origin. */
  qualify(flat: string): QualifiedName | undefined {
    return this.#qualified.get(flat);
  }

  /** The flat names of a namespace so far, in order. */
  within(namespace: string): string[] {
    return [...this.#qualified].flatMap(([flat, one]) => (one.namespace === namespace ? flat : []));
  }

  /** The flat names of functions that are called so in their namespaces. */
  called(name: string): string[] {
    return [...this.#qualified].flatMap(([flat, one]) => (one.name === name ? flat : []));
  }

  #free(wanted: string, key: string): string {
    const plain = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
    if (plain === wanted && plain.length <= MAX_CHARS && !this.#isTaken(plain)) return plain;
    const start = plain.slice(0, MAX_CHARS - HASH_CHARS - 1);
    for (let round = 0; ; round++) {
      const hash = hashText(`${round} ${key}`).slice(0, HASH_CHARS);
      const name = `${start}_${hash}`;
      if (!this.#isTaken(name)) return name;
    }
  }

  #isTaken(name: string): boolean {
    return this.#own.has(name) || this.#qualified.has(name) || name === this.#search;
  }
}
