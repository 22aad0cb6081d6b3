import { hash } from 'node:crypto';
import type { Tool } from '@winnow/core';
import {
  buildInTurns,
  type Catalogue,
  type Int8Vector,
  type Pause,
  type Ranker,
  toInt8Vector,
} from '@winnow/ranking';
import { RecentMap } from '@winnow/service';
import { SelectorError } from './selector-error.ts';

/** A built catalogue. */
export interface CachedCatalogue {
  readonly catalogue: Catalogue;
  /** The caller's vectors, by position; undefined if no tool has one. */
  readonly vectors: readonly (Int8Vector | undefined)[] | undefined;
  /**
   * The scopes that have sent the tools. Callers share the results of equal tools, but must not learn what
   * others have sent.
   */
  readonly senders: RecentMap<string, true>;
}

/** Limits of the cache. If either is zero, nothing is kept. */
export interface CacheLimits {
  /** Memory for indexes and vectors together, by their own estimates, in bytes. */
  readonly maxBytes: number;
  readonly maxCatalogues: number;
}

/** A `catalog_id`, with the scope that may use it. */
export interface CatalogueId {
  readonly scope: string;
  readonly id: string;
}

/** Dependencies of the catalogues. */
export interface CataloguesOptions extends CacheLimits {
  readonly ranker?: Ranker;
  /** Yields to other requests between two slices of a build. */
  readonly pause: Pause;
  /** Called for every built catalogue. */
  readonly onBuilt: () => void;
}

/** Memory of an entry besides its index, in bytes: objects and map slots. */
const ENTRY_BYTES = 1_024;
/** Number of ids to keep per catalogue: several callers may name one catalogue, but not without limit. */
const IDS_PER_CATALOGUE = 16;
/** Maximum number of senders per catalogue: there are fewer tokens, but there may be more certificates. */
const MAX_SENDERS = 1_000;

interface Entry {
  readonly cached: CachedCatalogue;
  readonly bytes: number;
  readonly ids: Set<string>;
}

/** Catalogues and whether they had to be built. */
export interface CatalogueLookup {
  readonly hash: string;
  readonly cached: CachedCatalogue;
  readonly index: 'built' | 'cached';
}

/**
 * Builds catalogues, and keeps them by the hash of their tools and by the ids of their callers; the least
 * recently used are evicted first.
 *
 * Equal tools that arrive together are built once. A build goes on when its client leaves, because the next
 * request may want its result.
 */
export class Catalogues {
  readonly #options: CataloguesOptions;
  /** By hash, in order of use, latest last. */
  readonly #entries = new Map<string, Entry>();
  readonly #builds = new Map<string, Promise<CachedCatalogue>>();
  readonly #hashById = new Map<string, string>();
  #bytes = 0;
  #evictions = 0;

  constructor(options: CataloguesOptions) {
    this.#options = options;
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

  /** Returns the catalogue of some tools, built if it is not kept. `sent` is their JSON value. */
  async find(tools: readonly Tool[], sent: unknown): Promise<CatalogueLookup> {
    const key = hashOf(sent);
    const entry = this.#use(key);
    if (entry !== undefined) return { hash: key, cached: entry.cached, index: 'cached' };
    let building = this.#builds.get(key);
    if (building === undefined) {
      building = this.#build(tools, sent).finally(() => this.#builds.delete(key));
      this.#builds.set(key, building);
    }
    const cached = await building;
    this.#keep(key, cached);
    return { hash: key, cached, index: 'built' };
  }

  /** Returns the catalogue that the id is bound to, unless it was evicted. */
  findById(id: CatalogueId): CachedCatalogue | undefined {
    const key = this.#hashById.get(keyOf(id));
    return key === undefined ? undefined : this.#use(key)?.cached;
  }

  /**
   * Binds the id to a catalogue, replacing any earlier binding. If the catalogue is not kept, the id is
   * unknown afterwards.
   */
  bind(id: CatalogueId, catalogueHash: string): void {
    const key = keyOf(id);
    this.#unbind(key);
    const entry = this.#entries.get(catalogueHash);
    if (entry === undefined) return;
    this.#hashById.set(key, catalogueHash);
    entry.ids.add(key);
    if (this.#hashById.size > this.#options.maxCatalogues * IDS_PER_CATALOGUE)
      this.#unbind(this.#hashById.keys().next().value!);
  }

  async #build(tools: readonly Tool[], sent: unknown): Promise<CachedCatalogue> {
    const { pause, onBuilt, ranker } = this.#options;
    const catalogue = await buildInTurns(tools, pause, ranker);
    onBuilt();
    const vectors = (sent as readonly { vector?: unknown }[]).map(({ vector }) =>
      Array.isArray(vector) ? toInt8Vector(vector) : undefined,
    );
    return {
      catalogue,
      vectors: vectors.some((vector) => vector !== undefined) ? vectors : undefined,
      senders: new RecentMap<string, true>(MAX_SENDERS),
    };
  }

  /** Keeps a catalogue and evicts others to make room. One that is larger than the whole cache is not kept. */
  #keep(key: string, cached: CachedCatalogue): void {
    const { maxBytes, maxCatalogues } = this.#options;
    const numbers = cached.vectors?.reduce((sum, vector) => sum + (vector?.length ?? 0), 0) ?? 0;
    const bytes = cached.catalogue.bytes + numbers + ENTRY_BYTES;
    if (this.#entries.has(key) || bytes > maxBytes || maxCatalogues === 0) return;
    this.#entries.set(key, { cached, bytes, ids: new Set() });
    this.#bytes += bytes;
    for (const [other, entry] of this.#entries) {
      if (this.#bytes <= maxBytes && this.#entries.size <= maxCatalogues) return;
      this.#entries.delete(other);
      this.#bytes -= entry.bytes;
      this.#evictions++;
      for (const id of entry.ids) this.#hashById.delete(id);
    }
  }

  #use(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #unbind(key: string): void {
    const hashOfId = this.#hashById.get(key);
    if (hashOfId !== undefined) this.#entries.get(hashOfId)?.ids.delete(key);
    this.#hashById.delete(key);
  }
}

/** Returns a unique key: scopes are hexadecimal digests, so no two pairs of scope and id collide. */
function keyOf({ scope, id }: CatalogueId): string {
  return `${scope}:${id}`;
}

/** Returns the hash of a JSON value. Throws `invalid_request` for one that is nested too deeply to be written. */
function hashOf(sent: unknown): string {
  try {
    return hash('sha256', JSON.stringify(sent), 'base64url');
  } catch (error) {
    // Of a value from JSON, writing fails only where it exceeds the stack.
    if (!(error instanceof RangeError)) throw error;
    throw new SelectorError('invalid_request', 'The tools are nested too deeply.', {
      details: [{ path: 'tools', message: 'is nested too deeply' }],
    });
  }
}
