import type { Catalogue } from '@winnow/ranking';
import type { KnownTools } from '../receive/body-assembler.ts';
import type { ToolPlaces } from './tool-places.ts';

/** A built catalogue, with the JSON text it was built from. */
export interface CachedCatalogue extends KnownTools {
  readonly catalogue: Catalogue;
  /** Positions of the tools in the text, if known. */
  readonly places?: ToolPlaces;
}

/** Limits of the cache. If either is zero, nothing is kept. */
export interface CacheLimits {
  /** Memory for texts and indexes together, by their own estimates, in bytes. */
  readonly maxBytes: number;
  readonly maxCatalogues: number;
}

/** A `catalog_id`, with the scope that may use it. */
export interface CatalogueId {
  readonly scope: string;
  readonly id: string;
}

/** Memory of an entry besides its text and index, in bytes: objects and map slots. */
const ENTRY_BYTES = 1_024;
/** Number of ids to keep per catalogue: several callers may name one catalogue, but not without limit. */
const IDS_PER_CATALOGUE = 16;

const NO_TOOLS = Buffer.alloc(0);

interface Entry extends CachedCatalogue {
  readonly bytes: number;
  readonly ids: Set<string>;
}

/**
 * Built catalogues, found by the exact bytes of their tools or by an id; the least recently used are evicted
 * first.
 *
 * The key is the text itself, not a hash: comparing memory is faster than hashing it, and catalogues that
 * differ in one letter never collide. See docs/decisions/2026-11-21-catalogues-by-their-bytes.md.
 */
export class CatalogueCache {
  readonly #limits: CacheLimits;
  /** Entries in order of use, latest last. */
  readonly #entries = new Set<Entry>();
  readonly #byId = new Map<string, Entry>();
  #candidates: readonly CachedCatalogue[] | undefined;
  #bytes = 0;
  #evictions = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of catalogues evicted since the start. */
  get evictions(): number {
    return this.#evictions;
  }

  /**
   * Returns the catalogues that can be recognised by their text, in no order. Callers must not change the
   * list; changes of the cache make a new one.
   */
  candidates(): readonly CachedCatalogue[] {
    this.#candidates ??= [...this.#entries].filter(({ tools }) => tools.length > 0);
    return this.#candidates;
  }

  /** Returns the most recently used catalogues, latest last; at most `count`. */
  latest(count: number): readonly CachedCatalogue[] {
    return [...this.#entries].slice(-count);
  }

  /** Returns the catalogue that the id is bound to, unless it was evicted. */
  findById(id: CatalogueId): CachedCatalogue | undefined {
    return this.#byId.get(keyOf(id));
  }

  /**
   * Keeps a catalogue and evicts others to make room. A catalogue larger than the whole cache is not kept.
   *
   * Returns the catalogue with the same text, if there is one. Without `tools`, the catalogue is found by id
   * only. The text is copied if it is a small part of a larger block of memory.
   */
  add(catalogue: Catalogue, tools: Buffer | undefined, places?: ToolPlaces): CachedCatalogue {
    const twin = tools && this.candidates().find((known) => known.tools.equals(tools));
    if (twin) return twin;
    const text = tools ? withoutSlack(tools) : NO_TOOLS;
    const bytes = text.length + catalogue.bytes + placesBytes(places) + ENTRY_BYTES;
    const entry: Entry = { catalogue, tools: text, bytes, ids: new Set(), ...(places && { places }) };
    if (bytes > this.#limits.maxBytes || this.#limits.maxCatalogues === 0) return entry;
    this.#entries.add(entry);
    this.#bytes += bytes;
    this.#candidates = undefined;
    this.#makeRoom();
    return entry;
  }

  /** Marks a catalogue as used. */
  touch(used: CachedCatalogue): void {
    const entry = used as Entry;
    if (this.#entries.delete(entry)) this.#entries.add(entry);
  }

  /**
   * Binds the id to this catalogue, replacing any earlier binding. Does nothing if the catalogue is not kept.
   */
  bind(id: CatalogueId, to: CachedCatalogue): void {
    const entry = to as Entry;
    if (!this.#entries.has(entry)) return;
    const key = keyOf(id);
    this.#unbind(key);
    this.#byId.set(key, entry);
    entry.ids.add(key);
    if (this.#byId.size > this.#limits.maxCatalogues * IDS_PER_CATALOGUE) {
      this.#unbind(this.#byId.keys().next().value!);
    }
  }

  #makeRoom(): void {
    for (const entry of this.#entries) {
      if (this.#bytes <= this.#limits.maxBytes && this.#entries.size <= this.#limits.maxCatalogues) return;
      this.#entries.delete(entry);
      this.#candidates = undefined;
      this.#bytes -= entry.bytes;
      this.#evictions++;
      for (const key of entry.ids) this.#byId.delete(key);
    }
  }

  #unbind(key: string): void {
    this.#byId.get(key)?.ids.delete(key);
    this.#byId.delete(key);
  }
}

function placesBytes(places: ToolPlaces | undefined): number {
  if (places === undefined) return 0;
  return places.offsets.byteLength + places.hashes.byteLength + places.byHash.byteLength;
}

/** Returns a unique key: scopes are hexadecimal digests, so no two pairs of scope and id collide. */
function keyOf({ scope, id }: CatalogueId): string {
  return `${scope}:${id}`;
}

/** Returns the same bytes, copied if they are in a much larger block. */
function withoutSlack(tools: Buffer): Buffer {
  return tools.buffer.byteLength > tools.length * 1.25 ? Buffer.from(tools) : tools;
}
