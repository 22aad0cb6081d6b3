import { readTraceHeaders, SILENT_TRACER, type Span, silentSpan, type Tracer } from '@winnow/service';
import { type Candidates, type Profiles, profiledRequest } from '../config/profiles.ts';
import { findFormat, findStored } from '../reading/read-exchange.ts';
import { ClientIdentity, originOf } from '../sessions/client-identity.ts';
import type { KeyedHash } from '../sessions/keyed-hash.ts';
import { clientAddress } from '../upstream/choose-upstream.ts';
import type { RequestBody } from '../upstream/client.ts';
import { MODE_HEADER } from '../upstream/headers.ts';
import { errorCodeOf, PROXY_ERRORS } from '../upstream/proxy-error.ts';
import { genAiProvider } from '../upstream/send-upstream.ts';
import type { FormatExchange, IncomingExchange, TracedExchange } from './exchange.ts';
import { ExchangeSender } from './exchange-sender.ts';
import { forwardUntouched } from './forward-untouched.ts';
import { type ExchangeContext, handleExchange } from './handle-exchange.ts';
import { reportExchange, tellProfile } from './report-exchange.ts';
import { decideForAny, type RolloutDecision } from './sort-exchange.ts';
import { answerStored, type StoredContext } from './stored-responses.ts';

/** Context that requests share. */
export interface RequestContext extends ExchangeContext, StoredContext {
  readonly effects: ExchangeContext['effects'];
  /** Keeps session keys from revealing their sources. */
  readonly sessionSecret: KeyedHash;
  /** Begins the spans of exchanges. */
  readonly tracer: Tracer;
  /** Watches the body of a request that no format handles as it passes. */
  readonly watchUnread: (exchange: IncomingExchange, body: RequestBody) => void;
}

/**
 * Answers one request in the context of its profile. A request that no format handles, or in arm `off`, is forwarded
 * as it arrives.
 */
export function handleRequest(exchange: IncomingExchange, contexts: Profiles<RequestContext>): Promise<void> {
  const { request, target } = exchange;
  const context = contexts.otherwise;
  const route = findFormat(request.method, target.clientPath);
  const span = startSpan(exchange, { tracer: context.tracer, isKnownPath: route !== undefined });
  const { 'sessions.tenant_headers': tenantHeaders } = context.settings;
  const identity = new ClientIdentity(() => originOf(request, target, tenantHeaders), context.sessionSecret);
  const run =
    route === undefined
      ? () => answerOther({ ...exchange, span, identity }, context)
      : () => answerRoute({ ...exchange, span, identity, ...route }, contexts);
  // An unrecorded span need not be ended: there is nothing to wait for.
  return span.isRecorded ? watchExchange(exchange, span, run) : run();
}

/** Answers a request in a supported format. */
function answerRoute(exchange: FormatExchange, contexts: Profiles<RequestContext>): Promise<void> {
  const candidates = contexts.candidatesFor(profiledRequest(exchange));
  const rollout = decideForAny(candidates.values, exchange.request.headers[MODE_HEADER]?.toString());
  return rollout?.arm === 'off'
    ? forwardExchange(exchange, candidates, rollout)
    : handleExchange(exchange, candidates, rollout);
}

async function answerOther(
  exchange: TracedExchange & Pick<FormatExchange, 'identity'>,
  context: RequestContext,
): Promise<void> {
  const stored = findStored(exchange.request.method, clientAddress(exchange.target));
  if (stored) return answerStored({ ...exchange, ...stored }, context);
  const onBody = (body: RequestBody) => context.watchUnread(exchange, body);
  await forwardUntouched(exchange, { send: context.send, onBody });
}

/**
 * Forwards a request of a supported format unread: bytes of any size travel as they arrive, in both directions.
 */
function forwardExchange(
  exchange: FormatExchange,
  candidates: Candidates<ExchangeContext>,
  rollout: RolloutDecision,
): Promise<void> {
  const context = candidates.choose(undefined);
  return reportExchange(exchange, context, (tell) => {
    tell({ kind: 'decided', arm: rollout.arm, reason: rollout.reason });
    if (candidates.isSettled) tellProfile(context, tell);
    return new ExchangeSender({ exchange, send: context.send, tell }).forwardUnread();
  });
}

/** Options of a span. */
interface TraceOptions {
  readonly tracer: Tracer;
  /**
   * Whether a format handles the path, so that the span may record it. Other paths may hold ids or secrets.
   */
  readonly isKnownPath: boolean;
}

/** Runs an exchange within a span, and ends that; rejects as `run` does. */
async function watchExchange(
  exchange: IncomingExchange,
  span: Span,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
    noteStatus(span, exchange.response.status);
  } catch (error) {
    noteError(span, error, exchange);
    throw error;
  } finally {
    span.end();
  }
}

/** Starts the span of an exchange, a child of the client's. */
function startSpan({ request, target, head }: IncomingExchange, { tracer, isKnownPath }: TraceOptions): Span {
  const { method, headers } = request;
  const trace = readTraceHeaders(headers);
  if (tracer === SILENT_TRACER) return silentSpan(trace);
  const path = target.clientPath;
  return tracer.start(isKnownPath ? `${method} ${path}` : method, 'server', trace, {
    'http.request.method': method,
    'http.route': isKnownPath ? path : undefined,
    'url.path': isKnownPath ? path : undefined,
    'winnow.request_id': head.requestId,
    'winnow.upstream': target.upstream.name,
    'gen_ai.provider.name': genAiProvider(target.upstream),
  });
}

function noteStatus(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
}

/**
 * Records an error. A client that leaves is not a failure; any other error becomes the response unless that
 * has begun.
 */
function noteError(span: Span, error: unknown, { response, signal }: IncomingExchange): void {
  if (signal.aborted) {
    span.set({ 'winnow.outcome': 'client_gone' });
    return;
  }
  const code = errorCodeOf(error);
  span.set({ 'http.response.status_code': response.hasStarted ? response.status : PROXY_ERRORS[code] });
  if (PROXY_ERRORS[code] >= 500) span.fail(code);
  else span.set({ 'error.type': code });
}
