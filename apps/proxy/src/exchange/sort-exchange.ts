import type { PlanReason, RolloutArm } from '@winnow/core';
import { MODE_HEADER } from '../http/own-headers.ts';
import type { RequestMemory } from '../memory/request-memory.ts';
import { bypass, isBypass } from '../strategies/bypass.ts';
import type { HostedExchange } from './answer-hosted.ts';
import type { PolyfilledExchange } from './answer-polyfilled.ts';
import { agentOf, meetAgent } from './choose-deferral.ts';
import type { EditedExchange } from './converse.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import type { LeftAlone } from './fall-back.ts';
import type { ObservedExchange } from './observe-exchange.ts';
import { type PlanContext, planExchange } from './plan-exchange.ts';
import type { ReceivedRequest, UnreadRequest } from './receive-request.ts';
import { decideForSession, decideRollout, type RolloutDecision } from './rollout.ts';
import { unlessDefect } from './unless-defect.ts';

/** The kind of exchange that a request starts, with the data for answering it. */
export type ExchangeKind =
  | UnreadRequest
  /** Read, and sent as the client wrote it. */
  | UntouchedRequest
  /** Planned, and sent as the client wrote it. */
  | ({ readonly kind: 'observed' } & ObservedExchange)
  /** The client defers tools itself on an upstream that cannot: request and response are rewritten. */
  | ({ readonly kind: 'polyfilled' } & PolyfilledExchange)
  /** The client leaves tool searches to a provider that runs none: the proxy resolves them. */
  | ({ readonly kind: 'hosted' } & HostedExchange)
  /** A plan defers its tools, and the proxy resolves the model's searches. */
  | ({ readonly kind: 'planned' } & EditedExchange)
  /**
   * The upstream has refused the conversation both edited and unedited: only the thinking of earlier turns is
   * omitted.
   */
  | ({ readonly kind: 'without_thinking' } & EditedExchange);

/** A request that is sent as the client wrote it, with the reason. */
interface UntouchedRequest extends LeftAlone {
  readonly kind: 'untouched';
  readonly reason: PlanReason;
}

export interface SortContext extends PlanContext {
  readonly memory: Pick<RequestMemory, 'hasHeap'>;
  readonly effects: Pick<ExchangeEffects, 'now' | 'every' | 'pause'>;
}

/** Memory set aside for the response to an edited request, in bytes: most responses need less at any time. */
const RESPONSE_BYTES = 128 * 1024;

/**
 * Determines the kind of exchange that a request starts: whether its tools are edited, whether its client
 * defers tools itself, and the plan. Without a decision, `rollout` depends on the session. Never rejects.
 */
export async function sortExchange(
  request: ReceivedRequest,
  rollout: RolloutDecision | undefined,
  context: SortContext,
): Promise<ExchangeKind> {
  const decision = rollout ?? decideForRequest(request, context);
  if (!rollout) request.tell({ kind: 'decided', ...decision });
  const agentId = agentOf({ exchange: request.exchange, view: request.reading.view }, context);
  meetAgent(request, { id: agentId, isDeferring: decision.arm === 'full' }, context);
  const { arm } = decision;
  // Counting tokens involves no model, so there would have been no search.
  const isNotRead = arm === 'off' || (arm !== 'full' && request.exchange.purpose !== 'answer');
  if (isNotRead) return { ...leave(request, 'not_read'), view: undefined };
  const deferring = arm === 'full' ? sortDeferring(request, context) : undefined;
  return deferring ?? planRequest(request, { agentId, arm }, context);
}

/** Decides by the settings for the request's model, or else by the percentage of sessions that are on. */
function decideForRequest(
  { exchange: { format, request }, reading: { view }, conversation, known }: ReceivedRequest,
  { settings }: SortContext,
): RolloutDecision {
  const decision = decideRollout(settings, request.headers[MODE_HEADER]?.toString());
  if (decision !== undefined) return decision;
  const percent = settings['rollout.percent'];
  if (known !== undefined) return decideForSession(percent, known.bucket);
  // Such a request shows only the end of a conversation, which does not tell whether the rest was inside.
  const isContinued =
    view !== undefined && format.capabilities.storedResponses?.previousId(view) !== undefined;
  return decideForSession(percent, isContinued && !conversation.isNamed ? undefined : conversation.bucket);
}

function leave(request: ReceivedRequest, reason: PlanReason): UntouchedRequest {
  request.tell({ kind: 'left_alone', reason });
  return untouched(request, reason);
}

function untouched(
  { exchange, body, sender, tell, reading: { view } }: ReceivedRequest,
  reason: PlanReason,
): UntouchedRequest {
  return { kind: 'untouched', reason, exchange, body, sender, tell, view };
}

/**
 * Sorts a request whose client defers tools itself on an upstream that cannot; returns undefined for other
 * requests.
 */
function sortDeferring(request: ReceivedRequest, { onDefect }: SortContext): ExchangeKind | undefined {
  const { exchange, reading, hold, tell } = request;
  const { format, target } = exchange;
  const { view } = reading;
  if (view === undefined || !target.upstream.isPolyfilled) return undefined;
  // The response to such a request, or the provider's copy of it, returns by ways where it cannot be
  // rewritten.
  const isElsewhere = view.bypass === 'background' || view.bypass === 'stored_prompt';
  const polyfilled = isElsewhere
    ? undefined
    : unlessDefect(() => format.capabilities.polyfill?.(view), onDefect);
  if (polyfilled !== undefined && hold.setAside(RESPONSE_BYTES)) {
    tell({ kind: 'left_alone', reason: 'polyfilled' });
    return { ...request, kind: 'polyfilled', view, polyfilled };
  }
  const searches = unlessDefect(() => format.capabilities.hostedSearches?.(view), onDefect);
  if (searches === undefined || !hold.setAside(RESPONSE_BYTES)) return undefined;
  return { ...request, kind: 'hosted', view, searches };
}

/**
 * Reads the conversation's notes, and decides which tools the model sees. In arms that only observe, the plan is not
 * carried out.
 */
async function planRequest(
  request: ReceivedRequest,
  { agentId, arm }: { readonly agentId: string | undefined; readonly arm: RolloutArm },
  context: SortContext,
): Promise<ExchangeKind> {
  const { reading, hold, tell } = request;
  const isObserved = arm !== 'full';
  if (!reading.ok) {
    const { reason, view } = reading;
    if (!isObserved) return leave(request, reason);
    tell({ kind: 'left_alone', reason });
    return { ...request, kind: 'observed', arm, view, plan: bypass(reason) };
  }
  const { view } = reading;
  const planned = await planExchange({ ...request, view, isObserved, agentId }, context);
  const { plan, dropsThinking } = planned;
  if (request.isLarge) await context.effects.pause();
  if (isObserved) return { ...request, kind: 'observed', arm, view, plan };
  if (!isBypass(plan)) {
    if (!hold.setAside(RESPONSE_BYTES)) return leave(request, 'short_of_memory');
    return { ...request, ...planned, kind: 'planned', view };
  }
  if (plan.reason === 'refused_before' && dropsThinking)
    return { ...request, ...planned, kind: 'without_thinking', view };
  return untouched(request, plan.reason);
}
