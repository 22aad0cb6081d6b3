import { hash } from 'node:crypto';
import { REGISTRY_LIMITS } from '../limits.ts';

export interface ToolIdParts {
  /** Empty when there is none. */
  readonly namespace: string;
  readonly name: string;
}

const NAME = /^[A-Za-z0-9_.-]+$/;
const NAMESPACE = /^[a-z0-9][a-z0-9._-]*$/;

/** Whether a text is a valid tool name. */
export function isToolName(text: string): boolean {
  return text.length <= REGISTRY_LIMITS.nameChars && NAME.test(text);
}

/** Whether a text is a valid namespace; the empty text is not. */
export function isNamespace(text: string): boolean {
  return text.length <= REGISTRY_LIMITS.namespaceChars && NAMESPACE.test(text);
}

/** Returns `namespace:name`, or only the name when the namespace is empty. */
export function formatToolId({ namespace, name }: ToolIdParts): string {
  return namespace === '' ? name : `${namespace}:${name}`;
}

/**
 * Parses an id; undefined for an invalid one: more than one colon, an empty part, white space, or invalid characters.
 * `formatToolId` restores the text.
 */
export function parseToolId(text: string): ToolIdParts | undefined {
  const colon = text.indexOf(':');
  if (colon < 0) return isToolName(text) ? { namespace: '', name: text } : undefined;
  const [namespace, name] = [text.slice(0, colon), text.slice(colon + 1)];
  return isNamespace(namespace) && isToolName(name) ? { namespace, name } : undefined;
}

/** Returns the namespace of an id; empty when there is none. */
export function namespaceOf(id: string): string {
  const colon = id.indexOf(':');
  return colon < 0 ? '' : id.slice(0, colon);
}

/** Longest tool name that every provider accepts. */
const MAX_CHARS = 64;

/** Digits of an id's digest that distinguish equal names; the long form is for ids with equal short digests. */
const SHORT_DIGITS = 8;
const LONG_DIGITS = 16;

/** A name that ends like a hashed one is hashed itself, so a plain name never equals a hashed one. */
const HAS_DIGITS = /_([0-9a-f]{8}|[0-9a-f]{16})$/;

/**
 * Returns the plain model name of a tool: the prefix, or else the namespace, and the name, joined by `__`, with `_` for
 * every character that some provider rejects. Undefined when that is too long or looks like a hashed name.
 *
 * @param prefix Replaces the namespace; an empty one leaves the name alone.
 */
export function plainModelName(id: string, prefix?: string): string | undefined {
  const joined = joinedName(id, prefix);
  return joined.length <= MAX_CHARS && !HAS_DIGITS.test(joined) ? joined : undefined;
}

/** Returns the name of a tool that cannot have its plain one, cut to make room for digits of the id's digest. */
export function hashedModelName(id: string, prefix?: string, digits: number = SHORT_DIGITS): string {
  return `${joinedName(id, prefix).slice(0, MAX_CHARS - digits - 1)}_${hash('sha256', id).slice(0, digits)}`;
}

function joinedName(id: string, prefix?: string): string {
  const { namespace, name } = parseToolId(id) ?? { namespace: '', name: id };
  const first = prefix ?? namespace;
  return (first === '' ? name : `${first}__${name}`).replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Prefixes of tools, by id; tools named by their namespace have none. */
type Prefixes = ReadonlyMap<string, string>;

/**
 * The model names of the tools of one scope: unique, and determined by the set of tools, not by their order. Tools that
 * share a plain name all lose it, so a name never changes its meaning.
 */
export class ModelNames {
  readonly #ids = new Set<string>();
  readonly #prefixes = new Map<string, string>();
  readonly #byPlain = new Map<string, readonly string[]>();
  /** Created on first use: most scopes have no hashed names. */
  #hashed: HashedNames | undefined;

  /** Adds a missing tool. */
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

  /** Returns the name of an added tool, or the name that a tool would have if it was added alone. */
  nameOf(id: string): string {
    const plain = plainModelName(id, this.#prefixes.get(id));
    if (plain !== undefined && (this.#byPlain.get(plain) ?? []).every((holder) => holder === id))
      return plain;
    return this.#hashedNames().nameOf(id);
  }

  /** Returns the id of a name's tool; undefined when there is none. */
  idOf(name: string): string | undefined {
    const hashed = HAS_DIGITS.test(name) ? this.#hashedNames().holdersOf(name) : [];
    return [...(this.#byPlain.get(name) ?? []), ...hashed].find((id) => this.nameOf(id) === name);
  }

  #hashedNames(): HashedNames {
    this.#hashed ??= new HashedNames(this.#ids, this.#prefixes);
    return this.#hashed;
  }
}

/** The hashed names of tools, whether or not they are in use. */
class HashedNames {
  readonly #byName = new Map<string, readonly string[]>();
  /** Names that several tools share: none, unless an attacker chooses ids by their digests. */
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

  /** Returns the tools that may have this name. */
  holdersOf(name: string): readonly string[] {
    const crowded = [...this.#crowded].flatMap((hashed) => this.#byName.get(hashed) ?? []);
    return [...(this.#byName.get(name) ?? []), ...crowded];
  }
}

/** Adds a holder and returns their number. */
function addTo(map: Map<string, readonly string[]>, name: string, id: string): number {
  const known = map.get(name);
  const holders = known === undefined ? [id] : [...known, id];
  map.set(name, holders);
  return holders.length;
}

/** Removes a holder and returns the number of those left. */
function removeFrom(map: Map<string, readonly string[]>, name: string, id: string): number {
  const holders = (map.get(name) ?? []).filter((other) => other !== id);
  if (holders.length === 0) map.delete(name);
  else map.set(name, holders);
  return holders.length;
}
