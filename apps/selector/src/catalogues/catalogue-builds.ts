import type { SearchQuery } from '@winnow/contract';
import type { Ranker } from '@winnow/ranking';
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

/** A body whose tools are not known. */
export interface NewBody {
  readonly bytes: Buffer;
  readonly toolsStart: number | undefined;
}

/** What became of a new body. */
export interface BuildOutcome {
  readonly query: SearchQuery;
  /** Undefined when the request has no tools. */
  readonly cached: CachedCatalogue | undefined;
  /** Whether it was built for this body, or together with another one, or found. */
  readonly index: 'built' | 'cached';
  readonly parseMs: number;
  readonly indexMs: number;
}

/** What builds need. */
export interface CatalogueBuildsOptions {
  readonly cache: CatalogueCache;
  readonly ranker: Ranker;
  readonly maxTools: number;
  /** Where large bodies go; without it everything is built on the main thread. */
  readonly pool: Pick<BuildPool, 'build'> | undefined;
  readonly now: () => number;
  /** Told of every catalogue that was built, with the time that parsing and indexing took. */
  readonly onBuilt: (durationMs: number) => void;
}

/**
 * How much shorter than the rest of a body its tools may be, at most, for another body to be taken for the same catalogue
 * while it is built. A wrong guess costs the other body the wait, nothing else.
 */
const ENVELOPE_BYTES = 16 * 1024;

/** Known catalogues, of those used latest, that a new one may be made from. */
const RELATED_CATALOGUES = 64;

const NO_TEXT = Buffer.alloc(0);

interface BuildUnderWay {
  readonly body: NewBody;
  readonly pending: PendingBuild;
  readonly outcome: Promise<BuildOutcome>;
  /** Requests that wait for it. */
  waiting: number;
}

/**
 * Makes catalogues out of new bodies and keeps them.
 *
 * A body that shares most of its tools with a known catalogue is made from that one. Other small bodies are built on the spot. Large ones go to the pool, and a body whose tools look like those of a build under way
 * waits for that one: what arrives together is built once.
 */
export class CatalogueBuilds {
  readonly #options: CatalogueBuildsOptions;
  readonly #underWay = new Set<BuildUnderWay>();

  constructor(options: CatalogueBuildsOptions) {
    this.#options = options;
  }

  /**
   * Throws what `parseRequest` throws, `internal` when a worker was lost, and `ClientGone` once `leave` is aborted: a build
   * that nobody waits for any more leaves the queue.
   */
  async build(body: NewBody, leave: () => AbortSignal): Promise<BuildOutcome> {
    const { pool, ranker, maxTools, now } = this.#options;
    const known = this.#findKept(body);
    if (known) return known;
    const revised = reviseKnown({ ...body, maxTools }, this.#options.cache.latest(RELATED_CATALOGUES), now);
    if (revised) return this.#keep(body, revised);
    if (!pool || body.bytes.length < ON_WORKERS_FROM_BYTES) {
      return this.#keep(body, buildFromBody({ ...body, maxTools }, ranker, now));
    }
    const other = this.#findUnderWay(body);
    return (
      (other && (await this.#shareBuild(other, body, leave()))) ?? this.#buildInPool(pool, body, leave())
    );
  }

  /** The outcome for a body that was still coming when its catalogue was built for another one. */
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

  /** The outcome for a body that came second; undefined when it was not the same catalogue after all. */
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
    // Without a text the catalogue can only be found again by its id.
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

/** The envelope of a body whose tools are these, or undefined when they are others. */
function cutTools({ bytes, toolsStart }: NewBody, tools: Buffer): Buffer | undefined {
  if (toolsStart === undefined || tools.length === 0) return undefined;
  const end = toolsStart + tools.length;
  if (!bytes.subarray(toolsStart, end).equals(tools)) return undefined;
  return envelopeOf(bytes.subarray(0, toolsStart), bytes.subarray(end));
}

/** A build that failed took every request down that waited for it; one that was refused says nothing about the others. */
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
