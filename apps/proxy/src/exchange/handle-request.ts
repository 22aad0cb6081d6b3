import type { KeyObject } from 'node:crypto';
import type { Tracer } from '@winnow/service';
import { type Candidates, type Profiles, profiledRequest } from '../config/profiles.ts';
import type { RequestBody } from '../http/client-request.ts';
import { MODE_HEADER } from '../http/own-headers.ts';
import { findFormat, findStored, type Route } from '../reading/find-format.ts';
import { ClientIdentity, originOf } from '../sessions/client-identity.ts';
import { clientAddress } from '../upstream/choose-upstream.ts';
import { answerStored, type StoredContext } from './answer-stored.ts';
import { ExchangeSender } from './exchange-sender.ts';
import type { FormatExchange } from './format-exchange.ts';
import { forwardUntouched } from './forward-untouched.ts';
import { type ExchangeContext, handleExchange } from './handle-exchange.ts';
import type { IncomingExchange } from './incoming-exchange.ts';
import { reportExchange } from './report-exchange.ts';
import { decideForAny, type RolloutDecision } from './rollout.ts';
import { tellProfile } from './tell-profile.ts';
import { type TracedExchange, traceExchange } from './trace-exchange.ts';

/** Context that requests share. */
export interface RequestContext extends ExchangeContext, StoredContext {
  readonly effects: ExchangeContext['effects'];
  /** Keeps session keys from revealing their sources. */
  readonly sessionSecret: KeyObject;
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
  const route = findFormat(request.method, target.clientPath);
  const trace = { tracer: contexts.otherwise.tracer, isKnownPath: route !== undefined };
  return traceExchange(exchange, trace, (traced) => answerRequest(traced, route, contexts));
}

async function answerRequest(
  exchange: TracedExchange,
  route: Route | undefined,
  contexts: Profiles<RequestContext>,
): Promise<void> {
  const { request, target } = exchange;
  const context = contexts.otherwise;
  const origin = originOf(request, target, context.settings['sessions.tenant_headers']);
  const identity = new ClientIdentity(origin, context.sessionSecret);
  if (!route) {
    const stored = findStored(request.method, clientAddress(target));
    if (stored) return answerStored({ ...exchange, ...stored, identity }, context);
    const onBody = (body: RequestBody) => context.watchUnread(exchange, body);
    await forwardUntouched(exchange, { send: context.send, onBody });
    return;
  }
  const candidates = contexts.candidatesFor(profiledRequest(exchange));
  const rollout = decideForAny(candidates.values, request.headers[MODE_HEADER]?.toString());
  const ofFormat = { ...exchange, ...route, identity };
  if (rollout?.arm === 'off') await forwardExchange(ofFormat, candidates, rollout);
  else await handleExchange(ofFormat, candidates, rollout);
}

/**
 * Forwards a request of a supported format unread: bytes of any size travel as they arrive, in both directions.
 */
async function forwardExchange(
  exchange: FormatExchange,
  candidates: Candidates<ExchangeContext>,
  rollout: RolloutDecision,
): Promise<void> {
  const context = candidates.choose(undefined);
  await reportExchange(exchange, context, (tell) => {
    tell({ kind: 'decided', ...rollout });
    if (candidates.isSettled) tellProfile(context, tell);
    return new ExchangeSender({ exchange, send: context.send, tell }).forwardUnread();
  });
}
