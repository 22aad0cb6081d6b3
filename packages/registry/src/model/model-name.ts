import { hash } from 'node:crypto';
import { parseToolId } from './tool-id.ts';

/** Longest name of a tool that every provider takes. */
const MAX_CHARS = 64;

/** Hexadecimal digits of an id's digest that tell alike names apart; the long one is for ids whose short ones are alike too. */
const SHORT_DIGITS = 8;
const LONG_DIGITS = 16;

/** What ends as a name with digits does gets digits of its own, so that no plain name ever equals such a one. */
const HAS_DIGITS = /_([0-9a-f]{8}|[0-9a-f]{16})$/;

/**
 * The plain name by which a model knows a tool: prefix, or else namespace, and name joined by `__`, every character that some
 * provider refuses as `_`. Undefined when that is too long, or looks as if it had digits.
 *
 * @param prefix stands in place of the namespace; an empty one leaves the name alone.
 */
export function plainModelName(id: string, prefix?: string): string | undefined {
  const joined = joinedName(id, prefix);
  return joined.length <= MAX_CHARS && !HAS_DIGITS.test(joined) ? joined : undefined;
}

/** The name for a tool that cannot have its plain one: cut to leave room for digits of the id's digest. */
export function hashedModelName(id: string, prefix?: string, digits: number = SHORT_DIGITS): string {
  return `${joinedName(id, prefix).slice(0, MAX_CHARS - digits - 1)}_${hash('sha256', id).slice(0, digits)}`;
}

function joinedName(id: string, prefix?: string): string {
  const { namespace, name } = parseToolId(id) ?? { namespace: '', name: id };
  const first = prefix ?? namespace;
  return (first === '' ? name : `${first}__${name}`).replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Prefixes of tools, by id; without one for those whose namespace stands in their names. */
type Prefixes = ReadonlyMap<string, string>;

/**
 * The names by which models know the tools of one scope: unique, and decided by the set of tools alone, not by the order in
 * which they came. Tools that share their plain name all lose it: a name that means one tool today never means another
 * one tomorrow.
 */
export class ModelNames {
  readonly #ids = new Set<string>();
  readonly #prefixes = new Map<string, string>();
  readonly #byPlain = new Map<string, readonly string[]>();
  /** Made when the first name with digits is asked for: most scopes have none. */
  #hashed: HashedNames | undefined;

  /** Adds a tool that is not there. */
  add(id: string, prefix?: string): void {
    this.#ids.add(id);
    if (prefix !== undefined) this.#prefixes.set(id, prefix);
    const plain = plainModelName(id, prefix);
    if (plain !== undefined) addTo(this.#byPlain, plain, id);
    this.#hashed?.add(id);
  }

  remove(id: string): void {
    this.#ids.delete(id);
    const plain = plainModelName(id, this.#prefixes.get(id));
    if (plain !== undefined) removeFrom(this.#byPlain, plain, id);
    this.#hashed?.remove(id);
    this.#prefixes.delete(id);
  }

  /** The name of a tool that was added, or that a tool would have were it added alone. */
  nameOf(id: string): string {
    const plain = plainModelName(id, this.#prefixes.get(id));
    if (plain !== undefined && (this.#byPlain.get(plain) ?? []).every((holder) => holder === id))
      return plain;
    return this.#hashedNames().nameOf(id);
  }

  /** The tool of a name, or undefined when there is none. */
  idOf(name: string): string | undefined {
    const hashed = HAS_DIGITS.test(name) ? this.#hashedNames().holdersOf(name) : [];
    return [...(this.#byPlain.get(name) ?? []), ...hashed].find((id) => this.nameOf(id) === name);
  }

  #hashedNames(): HashedNames {
    this.#hashed ??= new HashedNames(this.#ids, this.#prefixes);
    return this.#hashed;
  }
}

/** The names with digits of some tools, whether or not they go by them. */
class HashedNames {
  readonly #byName = new Map<string, readonly string[]>();
  /** Names that several tools share: none, unless somebody chooses ids for their digests. */
  readonly #crowded = new Set<string>();
  readonly #prefixes: Prefixes;

  constructor(ids: Iterable<string>, prefixes: Prefixes) {
    this.#prefixes = prefixes;
    for (const id of ids) this.add(id);
  }

  add(id: string): void {
    const name = this.#shortName(id);
    if (addTo(this.#byName, name, id) > 1) this.#crowded.add(name);
  }

  remove(id: string): void {
    const name = this.#shortName(id);
    if (removeFrom(this.#byName, name, id) <= 1) this.#crowded.delete(name);
  }

  nameOf(id: string): string {
    const name = this.#shortName(id);
    return this.#crowded.has(name) ? hashedModelName(id, this.#prefixes.get(id), LONG_DIGITS) : name;
  }

  #shortName(id: string): string {
    return hashedModelName(id, this.#prefixes.get(id));
  }

  /** Tools that may have this name. */
  holdersOf(name: string): readonly string[] {
    const crowded = [...this.#crowded].flatMap((hashed) => this.#byName.get(hashed) ?? []);
    return [...(this.#byName.get(name) ?? []), ...crowded];
  }
}

/** Adds a holder, and gives how many there are. */
function addTo(map: Map<string, readonly string[]>, name: string, id: string): number {
  const known = map.get(name);
  const holders = known === undefined ? [id] : [...known, id];
  map.set(name, holders);
  return holders.length;
}

/** Takes a holder away, and gives how many are left. */
function removeFrom(map: Map<string, readonly string[]>, name: string, id: string): number {
  const holders = (map.get(name) ?? []).filter((other) => other !== id);
  if (holders.length === 0) map.delete(name);
  else map.set(name, holders);
  return holders.length;
}
