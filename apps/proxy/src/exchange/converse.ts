import {
  hiddenNames,
  hidesCalls,
  isRefused,
  type RequestView,
  readOwnCall,
  refuseCall,
  type SearchCall,
  type SearchResult,
} from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import type { Tell } from '../records/exchange-fact.ts';
import { type Resolution, resolveSearches } from '../search/resolve-searches.ts';
import { type Searches, toSearchable } from '../search/search.ts';
import type { Verdict } from '../sessions/notes.ts';
import { isBilledAllTheSame } from '../strategies/deferred-billing.ts';
import { isBound, type LoadModes } from '../strategies/load-modes.ts';
import type { ReadyStrategy } from '../strategies/strategy.ts';
import { isGood } from '../upstream/proxy-error.ts';
import { sendRound } from './ask-round.ts';
import type { Ending, ExchangeEffects } from './exchange.ts';
import {
  handleRefusal,
  isAboutThinking,
  orOriginal,
  restoreOriginal,
  sendDropped,
  tryOriginal,
} from './fall-back.ts';
import { relay } from './forward-untouched.ts';
import { type LoopContext, loopBasics, type SearchLoop } from './loop-progress.ts';
import type { PlannedExchange } from './plan-exchange.ts';
import type { SendableRequest } from './receive-request.ts';
import { type LoopEnd, runSearchLoop } from './search-loop.ts';

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
  const { exchange, view, plan } = edited;
  // Only a response that may call a hidden tool must be read; all others are passed on unchanged.
  exchange.head.hiddenNames = hiddenNames(plan, view.toolSection).all;
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
  tell({ kind: 'session_written', errors: await session.remember(verdict) });
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
    sendOriginal: () => edited.sender.sendOriginal(edited.body),
    onRoundRefused: () => remember(edited, BYPASS),
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

/** The exchange whose hidden calls are resolved. */
type HiddenCalls = Pick<SearchLoop, 'exchange' | 'view' | 'plan'>;

/** Context for resolving. */
interface ResolveContext {
  readonly settings: Settings;
  readonly searches: Searches;
  readonly strategy: ReadyStrategy;
  readonly effects: Pick<ExchangeEffects, 'now'>;
}

/** Returns a function that resolves the hidden calls of one turn: searches, and calls that cannot work. */
function resolveHidden(edited: HiddenCalls, context: ResolveContext): SearchLoop['resolve'] {
  const { exchange, view, plan } = edited;
  return async (turn, isLimit) => {
    const calls = turn.searches.map((call) => readOwnCall(plan, call));
    const refused = refuseCalls(calls, edited);
    const resolution = await resolveSearches(
      calls.filter((call) => !isRefused(plan, call)),
      {
        isLimit,
        search: context.searches[context.strategy.search ?? 'local'],
        searchable: toSearchable(view, plan.defer),
        limit: context.settings['tools.max_search_results'],
        findsExactNames: plan.loadMode === 'bridge',
        withQueryText: context.settings['records.query_text'],
        requestId: exchange.head.requestId,
        span: exchange.span,
        now: context.effects.now,
        signal: exchange.signal.toAbortSignal(),
      },
    );
    return inOrder(calls, refused, resolution);
  };
}

/** Answers calls of the bridge tool that cannot work. */
function refuseCalls(
  calls: readonly SearchCall[],
  { exchange, view, plan }: HiddenCalls,
): readonly SearchResult[] {
  const { bridge } = exchange.format.capabilities;
  if (bridge === undefined) return [];
  return calls.flatMap((call) => (isRefused(plan, call) ? [refuseCall(view, plan, call, bridge)] : []));
}

/** Merges both kinds of results in the order of the calls. */
function inOrder(
  calls: readonly SearchCall[],
  refused: readonly SearchResult[],
  resolution: Resolution,
): Resolution {
  if (refused.length === 0) return resolution;
  const byId = new Map([...refused, ...resolution.results].map((result) => [result.callId, result]));
  return { ...resolution, results: calls.flatMap(({ id }) => byId.get(id) ?? []) };
}
