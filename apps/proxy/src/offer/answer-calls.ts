import type { RegistryCall } from '@winnow/core';
import type { Span } from '@winnow/service';
import type { SearchCall, SearchResult } from '@winnow/wire';
import type { CallOutcome, CallRegistry } from './call-registry.ts';
import { explain } from './explain-outcome.ts';
import { OFFERED_NAMES } from './offered-tools.ts';

/** Context for answering the calls of one turn. */
export interface AnswerContext {
  readonly client: CallRegistry;
  /** The token for this request. */
  readonly token: string;
  /** Results of earlier turns of the exchange. */
  readonly earlier: readonly SearchResult[];
  /** Whether no further call is answered. */
  readonly isLimit: boolean;
  /** Reserves memory for a result in bytes; returns false if none is left. */
  readonly take: (bytes: number) => boolean;
  readonly requestId: string;
  readonly span: Span;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** The answers to the calls of one turn. */
export interface AnsweredCalls {
  /** One per call, in the same order. */
  readonly results: readonly SearchResult[];
  readonly records: readonly RegistryCall[];
}

/** Maximum number of calls of one exchange; further calls tell the model to continue with what it has. */
const MAX_CALLS = 20;

/**
 * Maximum length of all results of one exchange, in characters: they are stored with the conversation and
 * read with each of its turns.
 */
const MAX_CHARS = 128_000;

/** Bytes per character of a result: its text, and its place in the next requests. */
const CHAR_BYTES = 6;

/**
 * Answers the calls of one turn of the model in parallel. Never rejects: a failed call is a result that the
 * model reads.
 */
export async function answerCalls(
  calls: readonly SearchCall[],
  context: AnswerContext,
): Promise<AnsweredCalls> {
  const earlier = context.earlier.filter(({ kind }) => kind === 'answered');
  const left = MAX_CALLS - earlier.length;
  const startedAt = context.now();
  const outcomes = await Promise.all(
    calls.map(async (call, place) => {
      const isLimit = context.isLimit || place >= left;
      const outcome = isLimit ? explain('limit') : await carryOut(call, context);
      return { call, outcome, ms: context.now() - startedAt };
    }),
  );
  let chars = MAX_CHARS - earlier.reduce((sum, { text = '' }) => sum + text.length, 0);
  const answered = outcomes.map(({ call, outcome, ms }) => {
    const { length } = outcome.text;
    const hasRoom = length <= chars && context.take(CHAR_BYTES * length);
    if (hasRoom) chars -= length;
    return toAnswer(call, hasRoom || outcome.outcome === 'limit' ? outcome : explain('limit'), ms);
  });
  return {
    results: answered.map(({ result }) => result),
    records: answered.map(({ record }) => record),
  };
}

function toAnswer(call: SearchCall, { text, outcome, ...answer }: CallOutcome, ms: number) {
  const isError = outcome !== 'ok';
  const result: SearchResult = {
    callId: call.id,
    kind: 'answered',
    tools: [],
    text,
    ...(isError && { isError }),
  };
  const record: RegistryCall = { tool: toolOf(call), outcome, chars: text.length, ...answer, ms };
  return { result, record };
}

/** Returns the tool of a call; only these tools are offered. */
function toolOf({ name }: SearchCall): RegistryCall['tool'] {
  return OFFERED_NAMES.find((offered) => offered === name)!;
}

async function carryOut(call: SearchCall, context: AnswerContext): Promise<CallOutcome> {
  const { client, token, requestId, signal } = context;
  const { input } = call;
  if (input === undefined) return explain('invalid_arguments');
  const span = context.span.startChild('registry call', 'client');
  try {
    const headers = { 'x-request-id': requestId, ...span.headers };
    const outcome = await client({ tool: toolOf(call), input, token, headers, signal });
    span.set({ 'http.response.status_code': outcome.status });
    return outcome;
  } catch {
    // The client never rejects; if it does, the exchange must still get its response.
    return explain('unreachable');
  } finally {
    span.end();
  }
}
