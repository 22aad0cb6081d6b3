import type { Catalogue } from '@winnow/ranking';
import type { KnownTools } from '../receive/body-assembler.ts';
import type { ToolPlaces } from './tool-places.ts';

/** A built catalogue, with the JSON text it was built from. */
export interface CachedCatalogue extends KnownTools {
  readonly catalogue: Catalogue;
  /** Where the tools stand in the text, when that is known. */
  readonly places?: ToolPlaces;
}

/** What the cache may hold. Zero of either means that nothing is kept. */
export interface CacheLimits {
  /** Memory for texts and indexes together, as they count themselves, in bytes. */
  readonly maxBytes: number;
  readonly maxCatalogues: number;
}

/** Who may use a `catalog_id`, and the id. */
export interface CatalogueId {
  readonly scope: string;
  readonly id: string;
}

/** An entry's own weight beside its text and index, in bytes: objects and map slots. */
const ENTRY_BYTES = 1_024;
/** Several callers may name one catalogue, but not without end: most ids that are kept for each catalogue there is room for. */
const IDS_PER_CATALOGUE = 16;

const NO_TOOLS = Buffer.alloc(0);

interface Entry extends CachedCatalogue {
  readonly bytes: number;
  readonly ids: Set<string>;
}

/**
 * Built catalogues, found by the exact bytes of their tools or by an id; the ones used longest ago are let go first.
 *
 * The text itself is the key, not a hash of it: comparing memory is faster than hashing it, and two catalogues that differ in
 * one letter of one definition are never taken for each other. See docs/decisions/2026-11-21-catalogues-by-their-bytes.md.
 */
export class CatalogueCache {
  readonly #limits: CacheLimits;
  /** In order of use, the latest last. */
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

  /** How many catalogues were let go to make room, since the start. */
  get evictions(): number {
    return this.#evictions;
  }

  /** Those that can be recognised by their text, in no order. Not to be changed; a later call gives a new list after a change. */
  candidates(): readonly CachedCatalogue[] {
    this.#candidates ??= [...this.#entries].filter(({ tools }) => tools.length > 0);
    return this.#candidates;
  }

  /** Those that were used latest, the latest last; at most `count`. */
  latest(count: number): readonly CachedCatalogue[] {
    return [...this.#entries].slice(-count);
  }

  /** The catalogue that the id was bound to, unless it was let go since. */
  findById(id: CatalogueId): CachedCatalogue | undefined {
    return this.#byId.get(keyOf(id));
  }

  /**
   * Keeps a catalogue, letting others go where room is needed. One that is larger than all the room is not kept.
   *
   * Gives the one that is kept already when it has the same text. Without `tools` it is found by id only. The text is copied when it is a small part of a larger block of memory.
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

  /** Says that a catalogue was used, so that it stays. */
  touch(used: CachedCatalogue): void {
    const entry = used as Entry;
    if (this.#entries.delete(entry)) this.#entries.add(entry);
  }

  /** Lets the id name this catalogue, whatever it named before. Nothing happens when the catalogue is not kept. */
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

/** Scopes are hexadecimal digests, so that no scope and id can be mistaken for another pair. */
function keyOf({ scope, id }: CatalogueId): string {
  return `${scope}:${id}`;
}

/** The same bytes, in a block of their own when the one they are in is much larger. */
function withoutSlack(tools: Buffer): Buffer {
  return tools.buffer.byteLength > tools.length * 1.25 ? Buffer.from(tools) : tools;
}
