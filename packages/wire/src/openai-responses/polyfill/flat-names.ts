import { hashText } from '../../hash-text.ts';

/** A function in a namespace. */
export interface QualifiedName {
  readonly namespace: string;
  readonly name: string;
}

/** The longest name of a function. Source: https://platform.openai.com/docs/api-reference/responses/create (tools). */
const MAX_CHARS = 64;

/** The number of hash characters in the replacement of a name that is too long or already taken. */
const HASH_CHARS = 8;

/**
 * Names without namespaces for the functions of one request: `namespace__name`, if that is valid and not
 * taken.
 *
 * Names are given in the order of the calls, and depend on the namespace, the name and the names given
 * before. The client's own names stay unchanged.
 */
export class FlatNames {
  readonly #own: ReadonlySet<string>;
  readonly #flat = new Map<string, string>();
  readonly #qualified = new Map<string, QualifiedName>();
  #search: string | undefined;

  /** @param own names that the client declared outside all namespaces. */
  constructor(own: ReadonlySet<string>) {
    this.#own = own;
  }

  /** The name of the function with which the model searches for tools. */
  get search(): string {
    this.#search ??= this.#free('tool_search', 'tool_search');
    return this.#search;
  }

  /** Whether a name is that of the search; false until `search` has been read. */
  isSearch(name: unknown): boolean {
    return this.#search !== undefined && name === this.#search;
  }

  /** Returns the flat name of a function in a namespace; the same each time. */
  flatten({ namespace, name }: QualifiedName): string {
    const key = JSON.stringify([namespace, name]);
    const known = this.#flat.get(key);
    if (known !== undefined) return known;
    const flat = this.#free(`${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`, key);
    this.#flat.set(key, flat);
    this.#qualified.set(flat, { namespace, name });
    return flat;
  }

  /** Returns the function with a flat name; undefined for a name of another origin. */
  qualify(flat: string): QualifiedName | undefined {
    return this.#qualified.get(flat);
  }

  /** Returns the flat names of a namespace so far, in order. */
  within(namespace: string): string[] {
    return [...this.#qualified].flatMap(([flat, one]) => (one.namespace === namespace ? flat : []));
  }

  /** Returns the flat names of the functions with this name in any namespace. */
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
