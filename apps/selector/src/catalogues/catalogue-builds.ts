import type { SearchQuery } from '@winnow/core';
import { ApiError, ClientGone } from '@winnow/service';
import { envelopeOf } from '../receive/envelope.ts';
import { parseEnvelope } from '../receive/parse-request.ts';
import { sharesBytes } from '../receive/shares-bytes.ts';
import { type BuiltRequest, buildFromBody } from './build-catalogue.ts';
import type { BuildPool, PendingBuild } from './build-pool.ts';
import type { CachedCatalogue, CatalogueCache } from './catalogue-cache.ts';
import { ON_WORKERS_FROM_BYTES } from './on-workers-from.ts';
import { reviseKnown } from './revise-known.ts';
import { endOfTools } from './tool-places.ts';

/** A body with unknown tools. */
export interface NewBody {
  readonly bytes: Buffer;
  readonly toolsStart: number | undefined;
}

/** The outcome for a new body. */
export interface BuildOutcome {
  readonly query: SearchQuery;
  /** Undefined if the request has no tools. */
  readonly cached: CachedCatalogue | undefined;
  /** Whether the catalogue was built for this body or a concurrent one, or was found. */
  readonly index: 'built' | 'cached';
  readonly parseMs: number;
  readonly indexMs: number;
}

/** Dependencies of builds. */
export interface CatalogueBuildsOptions {
  readonly cache: CatalogueCache;
  readonly maxTools: number;
  /** The pool for large bodies; without it, everything is built on the main thread. */
  readonly pool: Pick<BuildPool, 'build'> | undefined;
  readonly now: () => number;
  /** Called for every built catalogue, with the time for parsing and indexing. */
  readonly onBuilt: (durationMs: number) => void;
}

/**
 * Maximum size of a body outside its tools for guessing that it has the same catalogue as a build in
 * progress. A wrong guess only makes the body wait.
 */
const ENVELOPE_BYTES = 16 * 1024;

/** Number of recently used catalogues that a new one may be derived from. */
const RELATED_CATALOGUES = 64;

const NO_TEXT = Buffer.alloc(0);

interface BuildUnderWay {
  readonly body: NewBody;
  readonly pending: PendingBuild;
  readonly outcome: Promise<BuildOutcome>;
  /** Number of requests that wait for the build. */
  waiting: number;
}

/**
 * Builds catalogues from new bodies and keeps them.
 *
 * A body that shares most of its tools with a known catalogue is derived from it. Other small bodies are
 * built on the main thread. Large ones go to the pool; if the tools look like those of a build in progress,
 * the body waits for that build, so that concurrent copies are built once.
 */
export class CatalogueBuilds {
  readonly #options: CatalogueBuildsOptions;
  readonly #underWay = new Set<BuildUnderWay>();

  constructor(options: CatalogueBuildsOptions) {
    this.#options = options;
  }

  /**
   * Builds the catalogue of a body, or finds it.
   *
   * Throws like `parseRequest`, `internal` if a worker was lost, and `ClientGone` after `leave` aborts: a
   * build without waiting requests leaves the queue.
   */
  async build(body: NewBody, leave: () => AbortSignal): Promise<BuildOutcome> {
    const { pool, maxTools, now } = this.#options;
    const known = this.#findKept(body);
    if (known) return known;
    const revised = reviseKnown({ ...body, maxTools }, this.#options.cache.latest(RELATED_CATALOGUES), now);
    if (revised) return this.#keep(body, revised);
    if (!pool || body.bytes.length < ON_WORKERS_FROM_BYTES) {
      return this.#keep(body, buildFromBody({ ...body, maxTools }, now));
    }
    const other = this.#findUnderWay(body);
    return (
      (other && (await this.#shareBuild(other, body, leave()))) ?? this.#buildInPool(pool, body, leave())
    );
  }

  /** Returns the outcome for a body whose catalogue was built for another one while it arrived. */
  #findKept(body: NewBody): BuildOutcome | undefined {
    const { cache, now } = this.#options;
    if (body.toolsStart === undefined) return undefined;
    const startedAt = now();
    const rest = body.bytes.subarray(body.toolsStart);
    const cached = cache
      .candidates()
      .find(({ tools }) => tools.length <= rest.length && sharesBytes(tools, 0, rest));
    const envelope = cached && cutTools(body, cached.tools);
    if (!envelope) return undefined;
    const query = parseEnvelope(envelope);
    return { query, cached, index: 'cached', parseMs: now() - startedAt, indexMs: 0 };
  }

  #buildInPool(pool: Pick<BuildPool, 'build'>, body: NewBody, leave: AbortSignal): Promise<BuildOutcome> {
    const pending = pool.build(body);
    const outcome = pending.result.then((built) => this.#keep(body, built));
    const build: BuildUnderWay = { body, pending, outcome, waiting: 0 };
    this.#underWay.add(build);
    const forget = () => this.#underWay.delete(build);
    outcome.then(forget, forget);
    return this.#waitFor(build, leave);
  }

  /**
   * Returns the outcome for a body that waited for a similar build; undefined if its catalogue turned out to
   * differ.
   */
  async #shareBuild(
    build: BuildUnderWay,
    body: NewBody,
    leave: AbortSignal,
  ): Promise<BuildOutcome | undefined> {
    const startedAt = this.#options.now();
    const first = await this.#waitFor(build, leave).catch(rethrowUnlessRefused);
    const builtAt = this.#options.now();
    const envelope = first?.cached && cutTools(body, first.cached.tools);
    if (!envelope) return undefined;
    const query = parseEnvelope(envelope);
    const parseMs = this.#options.now() - builtAt;
    return { query, cached: first.cached, index: 'built', parseMs, indexMs: builtAt - startedAt };
  }

  async #waitFor(build: BuildUnderWay, leave: AbortSignal): Promise<BuildOutcome> {
    build.waiting++;
    try {
      return await untilAborted(build.outcome, leave);
    } finally {
      build.waiting--;
      if (build.waiting === 0) build.pending.cancel();
    }
  }

  #findUnderWay(body: NewBody): BuildUnderWay | undefined {
    for (const build of this.#underWay) {
      if (looksAlike(build.body, body)) return build;
    }
    return undefined;
  }

  #keep({ bytes, toolsStart }: NewBody, built: BuiltRequest): BuildOutcome {
    const { query, catalogue, places, parseMs, indexMs } = built;
    if (catalogue) this.#options.onBuilt(parseMs + indexMs);
    const tools = places && bytes.subarray(toolsStart, toolsStart! + endOfTools(places));
    // Without its text, a catalogue can be found only by its id.
    const isFindable = tools !== undefined || query.catalog_id !== undefined;
    const cached =
      catalogue &&
      (isFindable ? this.#options.cache.add(catalogue, tools, places) : { catalogue, tools: NO_TEXT });
    return { query, cached, index: 'built', parseMs, indexMs };
  }
}

function looksAlike(first: NewBody, second: NewBody): boolean {
  if (first.toolsStart === undefined || second.toolsStart === undefined) return false;
  const firstTools = first.bytes.subarray(first.toolsStart);
  const secondTools = second.bytes.subarray(second.toolsStart);
  const length = Math.min(firstTools.length, secondTools.length);
  if (Math.abs(firstTools.length - secondTools.length) > ENVELOPE_BYTES) return false;
  return sharesBytes(firstTools, 0, secondTools.subarray(0, length - ENVELOPE_BYTES));
}

/** Returns the envelope of a body with exactly these tools; undefined if it has others. */
function cutTools({ bytes, toolsStart }: NewBody, tools: Buffer): Buffer | undefined {
  if (toolsStart === undefined || tools.length === 0) return undefined;
  const end = toolsStart + tools.length;
  if (!bytes.subarray(toolsStart, end).equals(tools)) return undefined;
  return envelopeOf(bytes.subarray(0, toolsStart), bytes.subarray(end));
}

/**
 * Rethrows the failure of a build, which fails all requests that waited for it. A rejection concerns only the
 * request that was built.
 */
function rethrowUnlessRefused(error: unknown): undefined {
  if (error instanceof ApiError && error.code !== 'internal') return undefined;
  throw error;
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new ClientGone());
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject);
  });
}
