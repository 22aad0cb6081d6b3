import { createHash } from 'node:crypto';
import type { Agent, Dispatcher } from 'undici';
import { z } from 'zod';
import type { CircuitBreaker } from '../circuit-breaker.ts';
import { RecentMap } from '../recent-map.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type RedactOptions, redactTool } from './redact.ts';
import type { Search, SearchOutcome, SearchRequest } from './search.ts';

/** How the selector is asked. */
export interface SelectorOptions {
  /** Empty when none is configured. */
  readonly endpoint: string;
  /** Sent as a bearer token; empty to send none. */
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** Most names to find. */
  readonly limit: number;
  /** Names that must be found if they are there. */
  readonly alwaysKeep: readonly string[];
  readonly redact: RedactOptions;
}

/** What asking takes from the world around it. */
export interface SelectorEffects {
  /** Keeps connections to the selector alive. */
  readonly agent: Agent;
  /** One for all that ask this selector. */
  readonly breaker: CircuitBreaker;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
}

/** An answer is a list of names; one that is larger than this is none. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Catalogues that the selector is believed to hold. */
const MAX_KNOWN_CATALOGUES = 1_000;

/** A status that tells of the selector's health; the others tell of one request. */
const isSick = (status: number) => status >= 500;

type Answer = { readonly status: number; readonly body: unknown };

/**
 * Searches by asking a selector over HTTP. Tools travel once: later searches name them by `catalog_id`, until the selector says
 * that it does not hold it.
 *
 * The deadline spans the whole search, the second request included.
 */
export function selectorSearch(options: SelectorOptions, effects: SelectorEffects): Search {
  const { endpoint, timeoutMs } = options;
  // Another proxy may send the same tools with other parts held back: those are another catalogue.
  const redactMark = createHash('sha256')
    .update(JSON.stringify(options.redact))
    .digest('base64url')
    .slice(0, 8);
  const isKnown = new RecentMap<string, true>(MAX_KNOWN_CATALOGUES);

  return async (request) => {
    if (request.query.trim() === '') return { ok: false, reason: 'empty_query' };
    if (endpoint === '') return { ok: false, reason: 'missing_api_endpoint' };
    if (request.signal.aborted) return { ok: false, reason: 'client_gone' };
    if (!effects.breaker.admit()) return { ok: false, reason: 'circuit_open' };
    const deadline = effects.deadline(timeoutMs);
    try {
      const answer = await ask(request, AbortSignal.any([request.signal, deadline]));
      noteHealth(effects.breaker, answer.status);
      return judge(request, answer);
    } catch (error) {
      if (error instanceof UnsendableTools) {
        effects.breaker.abandon();
        return { ok: false, reason: 'api_error' };
      }
      // The cause is the transport's: whose deed it was, the signals say.
      return failed(request.signal, deadline);
    }
  };

  async function ask(request: SearchRequest, signal: AbortSignal): Promise<Answer> {
    const { id } = request.searchable;
    if (isKnown.get(id)) {
      const answer = await post(request, bodyOf(request, false), signal);
      if (!isUnknownCatalogue(answer)) return answer;
      isKnown.delete(id);
    }
    const answer = await post(request, bodyOf(request, true), signal);
    if (answer.status === 200) isKnown.set(id, true);
    return answer;
  }

  function bodyOf({ query, searchable }: SearchRequest, withTools: boolean): string {
    return writeJson({
      pattern: query,
      top_k: options.limit,
      always_keep: options.alwaysKeep,
      catalog_id: `${searchable.id}.${redactMark}`,
      ...(withTools && { tools: searchable.tools.map((tool) => redactTool(tool, options.redact)) }),
    });
  }

  async function post(
    { requestId, span }: SearchRequest,
    body: string,
    signal: AbortSignal,
  ): Promise<Answer> {
    const response = await effects.agent.request({
      ...targetOf(endpoint),
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        // The selector logs it, so that one id leads through both services.
        'x-request-id': requestId,
        ...span.headers,
        ...(options.apiKey !== '' && { authorization: `Bearer ${options.apiKey}` }),
      },
      body,
      signal,
    });
    span.set({ 'http.response.status_code': response.statusCode });
    return { status: response.statusCode, body: parseJson(await readBounded(response.body)) };
  }

  function judge({ searchable }: SearchRequest, { status, body }: Answer): SearchOutcome {
    if (status < 200 || status > 299) return { ok: false, reason: 'api_error' };
    const known = new Set(searchable.tools.map((tool) => tool.name));
    return judgeAnswer(body, { known, limit: options.limit, alwaysKeep: options.alwaysKeep });
  }

  function failed(client: AbortSignal, deadline: AbortSignal): SearchOutcome {
    if (client.aborted) {
      effects.breaker.abandon();
      return { ok: false, reason: 'client_gone' };
    }
    effects.breaker.fail();
    return { ok: false, reason: deadline.aborted ? 'api_timeout' : 'api_error' };
  }
}

/** Tools that cannot be written as JSON: the client's doing, which says nothing about the selector's health. */
class UnsendableTools extends Error {}

/** Parsing JSON has no limit of depth, and writing it has. */
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

function noteHealth(breaker: CircuitBreaker, status: number): void {
  if (isSick(status)) breaker.fail();
  else breaker.succeed();
}

async function readBounded(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop by an error destroys the body, and with it the connection.
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > MAX_ANSWER_BYTES) throw new RangeError('the answer is too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined for what is not JSON, which no answer looks like. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const UnknownCatalogue = z.object({ error: z.object({ code: z.literal('unknown_catalog') }) });

function isUnknownCatalogue({ status, body }: Answer): boolean {
  return status === 404 && UnknownCatalogue.safeParse(body).success;
}
