import { hiddenNames, hidesCalls, type RequestView } from '@winnow/wire';
import { isGood } from '../http/is-good.ts';
import type { Tell } from '../records/exchange-fact.ts';
import type { Verdict } from '../sessions/verdict.ts';
import { isBilledAllTheSame } from '../strategies/deferred-billing.ts';
import { isBound, type LoadModes } from '../strategies/load-modes.ts';
import { sendRound } from './ask-round.ts';
import type { LoopEnd } from './fail-loop.ts';
import {
  handleRefusal,
  isAboutThinking,
  orOriginal,
  restoreOriginal,
  sendDropped,
  tryOriginal,
} from './fall-back.ts';
import type { Ending } from './format-exchange.ts';
import { relay } from './forward-untouched.ts';
import { type LoopContext, loopBasics, type SearchLoop } from './loop-input.ts';
import type { PlannedExchange } from './plan-exchange.ts';
import type { SendableRequest } from './receive-request.ts';
import { type ResolveContext, resolveHidden } from './resolve-hidden.ts';
import { runSearchLoop } from './search-loop.ts';

/** A request whose tools are edited. */
export interface EditedExchange extends PlannedExchange, SendableRequest {
  readonly view: RequestView;
}

/** Context for conversing. */
export interface ConverseContext extends ResolveContext, LoopContext {
  readonly loadModes: LoadModes;
  readonly effects: LoopContext['effects'];
  readonly onDefect: (error: unknown) => void;
}

/**
 * Has the model answer a request with edited tools, including its searches. If that fails, even by a defect,
 * the original bytes are sent, as long as the client has received nothing.
 *
 * @throws ProxyError with `upstream_unreachable` if there is no response. Rejects when the client leaves.
 */
export function converse(edited: EditedExchange, context: ConverseContext): Promise<Ending> {
  return orOriginal(edited, context.onDefect, () => answerOrFallBack(edited, context));
}

async function answerOrFallBack(edited: EditedExchange, context: ConverseContext): Promise<Ending> {
  const { exchange, view, plan, tell } = edited;
  // Only a response that may call a hidden tool must be read; all others are passed on unchanged.
  exchange.head.hiddenNames = hiddenNames(plan).all;
  const mayBeSearched = hidesCalls(plan) && exchange.purpose === 'answer';
  const send = mayBeSearched ? runSearchLoop : sendOnce;

  // 1. Send the edited request.
  let end = await send(toLoop(edited, context));
  if (end.kind === 'over') return end.ending;

  // 2. If it is refused because of its thinking: send the original if that can help, or else drop the
  //    thinking. Remember which form was accepted, so that only one request is refused.
  if (
    end.kind === 'refused' &&
    !edited.dropsThinking &&
    (await isAboutThinking(end.response, exchange, view))
  ) {
    end.response.body.destroy();
    const isLost = exchange.format.capabilities.thinking?.hasLostRounds(view, plan);
    const ending = isLost ? undefined : await tryOriginal(edited, () => remember(edited, BYPASS));
    if (ending) return ending;
    tell({ kind: 'thinking_dropped' });
    end = await send({ ...toLoop(edited, context), dropsThinking: true });
    if (end.kind === 'over') {
      await remember(edited, { mode: plan.loadMode, dropsThinking: true });
      return end.ending;
    }
  }

  // 3. If it failed before the client received anything: send the original, unless the upstream's error says
  //    more.
  if (end.kind === 'failed') return restoreOriginal(edited, end.because);
  const isRejected = end.because === 'upstream_rejected_edit';
  const onTaken = async () => {
    if (isRejected) await noteRefusal(edited, context);
  };
  const withoutThinking = hasBoundThinking(edited) ? () => sendWithoutThinking(edited) : undefined;
  return handleRefusal({ ...edited, plan, because: end.because, onTaken, withoutThinking }, end.response);
}

/**
 * Whether a history may hold thinking that is bound to edited tools, so that the upstream refuses the
 * original as well.
 */
function hasBoundThinking({ exchange: { format }, view, plan, wasEdited }: EditedExchange): boolean {
  const { thinking } = format.capabilities;
  return thinking?.holdsThinking(view) === true && (wasEdited || thinking.hasLostRounds(view, plan));
}

/**
 * Sends the client's request unedited except for the thinking of earlier turns, and passes the response on:
 * the upstream refuses both the edited and the original conversation. Remembers the form that it accepts.
 */
export async function sendWithoutThinking(edited: EditedExchange): Promise<Ending> {
  const response = await sendDropped(edited);
  if (isGood(response)) await remember(edited, { mode: 'bypass', dropsThinking: true });
  return relay(response, edited.exchange);
}

const BYPASS: Verdict = { mode: 'bypass', dropsThinking: false };

/**
 * Remembers that the upstream accepts the original after refusing the edited request. After a native refusal,
 * new conversations avoid native mode for a while.
 */
function noteRefusal(edited: EditedExchange, { loadModes }: ConverseContext): Promise<void> {
  const { exchange, view, plan } = edited;
  const { upstream } = exchange.target;
  const { tenant } = exchange.identity;
  const isNative = plan.loadMode === 'native';
  if (isNative) loadModes.refuse({ upstream, model: view.model, tenant });
  const maySwap = isNative && !isBound({ format: exchange.format, upstream, view });
  return remember(edited, maySwap ? { mode: 'swap', dropsThinking: false } : BYPASS);
}

/**
 * Stores a verdict. Token counts are skipped, as they say nothing about whether the upstream accepts the
 * conversation.
 */
async function remember({ exchange, session, tell }: EditedExchange, verdict: Verdict): Promise<void> {
  if (exchange.purpose !== 'answer') return;
  tell({ kind: 'session_written', store: await session.remember(verdict) });
}

function toLoop(edited: EditedExchange, context: ConverseContext): SearchLoop {
  const { loadModes } = context;
  const { exchange, view } = edited;
  const { upstream } = exchange.target;
  const { tenant } = exchange.identity;
  return {
    ...edited,
    ...loopBasics(exchange, context),
    tell: judgeBilling(edited, context),
    onReferencesRefused: () => loadModes.refuse({ upstream, model: view.model, tenant }),
    onChangeRefused: () => loadModes.refuseChange({ upstream, model: view.model, tenant }),
    isBound: isBound({ format: exchange.format, upstream, view }),
    resolve: resolveHidden(edited, context),
  };
}

/** Sends a request whose response is passed on unread. */
async function sendOnce(request: SearchLoop): Promise<LoopEnd> {
  const response = await sendRound(request, [], request.plan);
  if (!isGood(response)) return { kind: 'refused', response, because: 'upstream_rejected_edit' };
  return { kind: 'over', ending: await relay(response, request.exchange) };
}

/**
 * Returns a `tell` that also checks the cost of the first round of a native exchange: a gateway may drop the
 * marks of deferred tools.
 */
function judgeBilling(
  { exchange, view, plan, hiddenTurns, tell }: EditedExchange,
  { loadModes }: ConverseContext,
): Tell {
  if (plan.loadMode !== 'native') return tell;
  let isFirst = true;
  return (fact) => {
    tell(fact);
    if (fact.kind !== 'round_ended' || !isFirst) return;
    isFirst = false;
    if (fact.usage && isBilledAllTheSame({ view, plan, hiddenTurns, inputTokens: fact.usage.inputTokens })) {
      loadModes.blame({ upstream: exchange.target.upstream, model: view.model });
    }
  };
}
