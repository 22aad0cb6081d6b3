import { createHash } from 'node:crypto';
import type { SearchType } from '@winnow/core';
import {
  type BreakerOptions,
  type BreakerState,
  CircuitBreaker,
  type ClientTls,
  causeCode,
  type HttpPool,
  openHttpPool,
  RecentMap,
} from '@winnow/service';
import { z } from 'zod';
import {
  judgeResponse,
  type RedactOptions,
  readResponse,
  redactTool,
  type SearchableTools,
  type SearchOutcome,
  type SelectorResponse,
} from './judge-response.ts';

/** The selector to query, and its view of the tools. */
export interface SelectorClientOptions {
  /** Empty if none is configured: every search then fails with `missing_api_endpoint`. */
  readonly endpoint: string;
  /** Sent as a bearer token; empty to send none. */
  readonly apiKey: string;
  /** Time limit of one search, including a second request, in milliseconds. */
  readonly timeoutMs: number;
  readonly redact: RedactOptions;
}

/** Effects that the client needs. */
interface SelectorClientEffects {
  /** Keeps connections to the selector alive. */
  readonly agent: Pick<HttpPool, 'request'>;
  /** Shared by all clients of this selector. */
  readonly health: SelectorHealth;
  /** Returns a signal that aborts after a time in milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
}

interface SelectorSearch {
  /** Several needs, or several wordings of one; at most `LIMITS.patterns`. */
  readonly queries: readonly string[];
  /** Interpretation of the queries; the selector's own default if missing. */
  readonly searchType?: SearchType | undefined;
  readonly searchable: SearchableTools;
  /** Maximum number of names to find. */
  readonly limit: number;
  /** Names that must be found if they exist. They are never cut, even if they exceed `limit`. */
  readonly alwaysKeep: readonly string[];
  /** Headers that link the selector's log and spans to this request: `x-request-id` and trace headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal;
}

/** The outcome of a search, with details of the selector's response. */
export type SelectorOutcome = SearchOutcome & {
  /** The status of the last response, if there was one. */
  readonly status?: number;
  /** The system's error code if the connection failed, such as `ECONNREFUSED`. */
  readonly cause?: string;
};

/**
 * Asks a selector over HTTP which tools fit one or several queries.
 *
 * Contract: never rejects and never throws; safe for concurrent calls; ends soon after `signal` aborts, and
 * within the time limit. Blank queries alone are `empty_query` and send no request. Tools are sent once: later
 * searches refer to them by `catalog_id` until the selector reports that it no longer holds them.
 */
export type SelectorClient = (search: SelectorSearch) => Promise<SelectorOutcome>;

/** Maximum number of catalogues that the selector is assumed to hold. */
const MAX_HELD_CATALOGUES = 1_000;

export function createSelectorClient(
  { endpoint, apiKey, timeoutMs, redact }: SelectorClientOptions,
  { agent, health, deadline: startDeadline }: SelectorClientEffects,
): SelectorClient {
  const held = new RecentMap<string, true>(MAX_HELD_CATALOGUES);
  const mark = redactMark(redact);

  return async (search) => {
    if (search.queries.every((query) => query.trim() === '')) return { ok: false, reason: 'empty_query' };
    if (endpoint === '') return { ok: false, reason: 'missing_api_endpoint' };
    if (search.signal.aborted) return { ok: false, reason: 'client_gone' };
    const tools = search.searchable.tools.length;
    if (!health.admit(tools)) return { ok: false, reason: 'circuit_open' };
    const deadline = startDeadline(timeoutMs);
    try {
      const response = await ask(search, AbortSignal.any([search.signal, deadline]));
      health.answered(tools, response.status);
      return { ...judge(search, response), status: response.status };
    } catch (error) {
      return failed(error, search, deadline);
    }
  };

  async function ask(search: SelectorSearch, signal: AbortSignal): Promise<SelectorResponse> {
    const { id } = search.searchable;
    if (held.get(id)) {
      const response = await post(search, false, signal);
      if (!isUnknownCatalogue(response)) return response;
      held.delete(id);
    }
    const response = await post(search, true, signal);
    if (response.status === 200) held.set(id, true);
    return response;
  }

  async function post(
    search: SelectorSearch,
    withTools: boolean,
    signal: AbortSignal,
  ): Promise<SelectorResponse> {
    const response = await agent.request({
      ...targetOf(endpoint),
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...search.headers,
        ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }),
      },
      body: bodyOf(search, withTools),
      signal,
    });
    return readResponse(response);
  }

  function bodyOf(
    { queries, searchType, searchable, limit, alwaysKeep }: SelectorSearch,
    withTools: boolean,
  ): string {
    return writeJson({
      // For selectors that do not know `patterns`.
      pattern: queries.join('. '),
      ...(queries.length > 1 && { patterns: queries }),
      ...(searchType && { search_type: searchType }),
      top_k: limit,
      include: ['scores'],
      always_keep: alwaysKeep,
      catalog_id: `${searchable.id}.${mark}`,
      ...(withTools && { tools: searchable.tools.map((tool) => redactTool(tool, redact)) }),
    });
  }

  /** Returns the outcome of a failed request. The cause is the transport's; the signals tell who aborted. */
  function failed(
    error: unknown,
    { searchable, signal }: SelectorSearch,
    deadline: AbortSignal,
  ): SelectorOutcome {
    const tools = searchable.tools.length;
    if (error instanceof UnsendableTools || signal.aborted) {
      health.abandoned(tools);
      return { ok: false, reason: signal.aborted ? 'client_gone' : 'api_error' };
    }
    if (deadline.aborted) {
      health.timedOut(tools);
      return { ok: false, reason: 'api_timeout' };
    }
    health.failed(tools);
    const cause = causeCode(error);
    return { ok: false, reason: 'api_error', ...(cause !== undefined && { cause }) };
  }
}

/** Returns a hash of the redaction rules: the same tools redacted differently are another catalogue. */
function redactMark(redact: RedactOptions): string {
  return createHash('sha256').update(JSON.stringify(redact)).digest('base64url').slice(0, 8);
}

/**
 * Tools that cannot be written as JSON. The client's tools cause this error, so it does not count against the
 * selector's health.
 */
class UnsendableTools extends Error {}

/** Writes JSON. Parsing has no depth limit, but writing has. */
function writeJson(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new UnsendableTools('the tools cannot be written as JSON', { cause });
  }
}

function targetOf(endpoint: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(endpoint);
  return { origin, path: `${pathname}${search}` };
}

function judge(
  { searchable, limit, alwaysKeep }: SelectorSearch,
  { status, body }: SelectorResponse,
): SearchOutcome {
  if (!isGood(status)) return { ok: false, reason: 'api_error' };
  const known = new Set(searchable.tools.map((tool) => tool.name));
  return judgeResponse(body, { known, limit, alwaysKeep });
}

function isGood(status: number): boolean {
  return status >= 200 && status <= 299;
}

const UnknownCatalogue = z.object({ error: z.object({ code: z.literal('unknown_catalog') }) });

function isUnknownCatalogue({ status, body }: SelectorResponse): boolean {
  return status === 404 && UnknownCatalogue.safeParse(body).success;
}

/** Maximum number of connections to a selector, each with one search at a time. */
const CONNECTIONS = 64;

/** Opens a pool of connections to one selector. `destroy` closes them. */
export function openSelectorAgent(tls: ClientTls): HttpPool {
  return openHttpPool({ connections: CONNECTIONS, pipelining: 1, connect: { ...tls } });
}

/** Maximum number of tools of each size class except the last, which is unbounded. */
const SIZE_CLASSES = [100, 1_000, 5_000] as const;

const WORST_FIRST: readonly BreakerState[] = ['open', 'half_open', 'closed'];

/**
 * Stops calling a selector that does not respond, without letting a few huge catalogues block all other
 * searches.
 *
 * Failures of the selector itself (refused, reset, 5xx) count for all searches. A timeout may be due to the
 * number of tools: it counts only for searches over about as many. A hanging selector is also skipped, one size
 * class after another.
 *
 * Contract: every `admit` that returned true is followed by exactly one of the other calls, with the same
 * number of tools.
 */
export class SelectorHealth {
  readonly #connection: CircuitBreaker;
  readonly #bySize: readonly CircuitBreaker[];

  constructor(options: BreakerOptions) {
    this.#connection = new CircuitBreaker(options);
    this.#bySize = [...SIZE_CLASSES, 0].map(() => new CircuitBreaker(options));
  }

  /** The worst state that any search would meet. */
  get state(): BreakerState {
    const states = [this.#connection, ...this.#bySize].map(({ state }) => state);
    return WORST_FIRST.find((state) => states.includes(state))!;
  }

  /** Whether a search over this number of tools may be sent. */
  admit(tools: number): boolean {
    if (!this.#connection.admit()) return false;
    if (this.#sizeOf(tools).admit()) return true;
    this.#connection.abandon();
    return false;
  }

  /**
   * Records a response. Status 500 and above counts against the selector; other errors concern only the
   * request.
   */
  answered(tools: number, status: number): void {
    this.#sizeOf(tools).succeed();
    if (status >= 500) this.#connection.fail();
    else this.#connection.succeed();
  }

  /** Records a failed connection. */
  failed(tools: number): void {
    this.#sizeOf(tools).abandon();
    this.#connection.fail();
  }

  /** Records that no complete response arrived within the time limit. */
  timedOut(tools: number): void {
    this.#sizeOf(tools).fail();
    this.#connection.abandon();
  }

  /** Records a search that ended without saying anything about the selector. */
  abandoned(tools: number): void {
    this.#sizeOf(tools).abandon();
    this.#connection.abandon();
  }

  #sizeOf(tools: number): CircuitBreaker {
    const index = SIZE_CLASSES.findIndex((most) => tools <= most);
    return this.#bySize[index < 0 ? SIZE_CLASSES.length : index]!;
  }
}
