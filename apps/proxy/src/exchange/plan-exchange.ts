import type { HiddenTurn, Plan, RequestView, ResponseAlias } from '@winnow/wire';
import { listedTools, modelName, newBytes, shownTools } from '../records/request-facts.ts';
import { shortKey } from '../sessions/client-identity.ts';
import type { KnownResponse } from '../sessions/notes.ts';
import type { MemoryHold } from '../sessions/request-memory.ts';
import { bypass } from '../strategies/bypass.ts';
import { isBound, type LoadModes, type PlacedRequest } from '../strategies/load-modes.ts';
import { keptByPattern } from '../strategies/never-defer.ts';
import { type Planner, type PlanSource, planRequest } from '../strategies/plan-request.ts';
import { headKeeping, type Policy } from '../strategies/policy.ts';
import type { Preload } from '../strategies/preload.ts';
import { preloadSafely } from '../strategies/preload-safely.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';
import { type DeferralContext, isFirstOf, type Weighed, weighDeferral } from './choose-deferral.ts';
import { unlessDefect } from './exchange.ts';
import { ExchangeSession, NO_NOTES, type SessionContext, type SessionReading } from './exchange-session.ts';
import type { ReceivedRequest } from './receive-request.ts';

/** A plan for the tools, with the state of the conversation. */
export interface PlannedExchange {
  readonly plan: Plan;
  /** Turns of the conversation that the client has not seen, oldest first. */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Whether the upstream accepted this conversation only without the thinking in its history. */
  readonly dropsThinking: boolean;
  /** The stored response that the request continues from. */
  readonly alias: ResponseAlias | undefined;
  /**
   * Returns the names of the functions that the conversation has shown from its start; computed on demand, as
   * few exchanges need it.
   */
  readonly kept: () => readonly string[];
  /** Whether earlier requests of this conversation are known to have been edited. */
  readonly wasEdited: boolean;
  readonly session: ExchangeSession;
}

/** A request that needs a plan. */
export interface PlannableRequest
  extends Pick<ReceivedRequest, 'exchange' | 'conversation' | 'known' | 'hold' | 'tell'> {
  /** The request as its client wrote it. */
  readonly view: RequestView;
  /** Whether the plan is not carried out: the conversation then has no notes, and leaves none. */
  readonly isObserved: boolean;
  /** The agent that sent it, if known. */
  readonly agentId: string | undefined;
}

/** Context for planning. */
export interface PlanContext extends SessionContext, Planner, DeferralContext, Policy {
  readonly effects: SessionContext['effects'];
}

/** Reads the conversation's notes, and decides which tools the model sees. Never rejects. */
export async function planExchange(asked: PlannableRequest, current: PlanContext): Promise<PlannedExchange> {
  const { view, known, tell } = asked;
  const span = asked.exchange.span.startChild('plan', 'internal');
  try {
    const { key, session, read, begun, request: resumed, context } = await resume(asked, current);
    const { settings } = context;
    const { hiddenTurns } = read;
    const verdict = read.verdict ?? known?.verdict;
    // A conversation keeps the choice that it has begun with.
    const before = begun?.defers ?? (known || hiddenTurns.length > 0 ? true : undefined);
    const { names: preloaded, groups } =
      before === false ? NONE : await chooseToPreload(resumed, { session, read }, context);
    const request = before === undefined ? withSwapWhereUncached(resumed, context) : resumed;
    const found = { hiddenTurns, verdict, preloaded, groups, kept: known?.kept };
    const deferring = planFor(request, found, context);
    const weighed = weigh(request, { plan: deferring, preloaded }, context);
    const latest = request.agentId && context.agents.meansOf(request.agentId).isDeferring;
    const defers = before ?? choose(request, weighed, context);
    const isChange =
      before === undefined && latest !== undefined && defers !== undefined && latest !== defers;
    const plan = deferring.reason === 'deferred' && defers === false ? bypass('few_savings') : deferring;
    if (known === undefined && !asked.isObserved) {
      const { load } = request.exchange.target.upstream;
      const own = { model: modelName(view), head: context.head, load, defers };
      // A conversation whose first request had too few tools is chosen for later, and keeps that choice, too.
      const isNew = isFirstOf(request) || (begun?.defers === undefined && defers !== undefined);
      session.keepBeginning(own, { isFirst: isNew, isKnown: begun !== undefined });
    }
    const tools = shownTools(view, plan);
    const alwaysKeep = keptByPattern(view, settings['tools.always_keep']);
    span.set({ 'winnow.plan_reason': plan.reason, 'winnow.tools.deferred': tools.counts.deferred });
    tell({
      kind: 'session_read',
      session: shortKey(key),
      hiddenTurns: hiddenTurns.length,
      errors: read.errors,
    });
    tell({
      kind: 'planned',
      reason: plan.reason,
      loadMode: plan.loadMode,
      tools,
      list: listedTools(view.toolSection, plan.defer),
      newBytes: newBytes(view),
      ...(weighed && { expected: { ...weighed.expected, ...(isChange && { isChange: true as const }) } }),
      ...(alwaysKeep && { alwaysKeep }),
      look: { plan, section: view.toolSection, preloaded, chosen: view.toolChoice.names },
    });
    return {
      plan,
      hiddenTurns,
      dropsThinking: verdict?.dropsThinking ?? false,
      alias: known?.alias,
      kept: keptOf(known, view, plan),
      wasEdited: hiddenTurns.length > 0 || (verdict !== undefined && verdict.mode !== 'bypass'),
      session,
    };
  } finally {
    span.end();
  }
}

/**
 * Notes that a conversation begins without deferring, because its client searches for tools itself: a later request of
 * it that lacks the client's search, such as one that compacts the history, is left alone, too.
 */
export function keepClientsSearch(request: PlannableRequest, context: PlanContext): void {
  if (!isFirstOf(request)) return;
  const { exchange, view, conversation } = request;
  const { load } = exchange.target.upstream;
  const beginning = { model: modelName(view), head: context.head, load, defers: false };
  openSession(request, conversation.key, context).keepBeginning(beginning, { isFirst: true, isKnown: false });
}

/**
 * Reads the stored notes of a conversation. It keeps the settings that shaped its head, even if they have
 * changed since.
 */
async function resume(asked: PlannableRequest, current: PlanContext) {
  const { view, conversation, known } = asked;
  // A request that continues from a response shows only the end of its conversation.
  const key = known?.session ?? conversation.key;
  const session = openSession(asked, key, current);
  const read = asked.isObserved ? NO_NOTES : await session.read();
  const begun = known === undefined ? read.beginning : known.beginning;
  if (begun !== undefined) session.follow(begun);
  // Another model has another prompt cache, and may need another profile.
  if (begun === undefined || begun.model !== modelName(view)) {
    const context = withChosen(asked, current);
    return { key, session, read, begun, context, request: asked };
  }
  const context = begun.head === current.head ? current : { ...current, ...current.withHead(begun.head) };
  return { key, session, read, begun, context, request: withLoadMode(asked, begun.load) };
}

/**
 * Returns the context in which a conversation begins: with the tools that the agent has chosen by
 * `tool_choice` before: to show one for a single request would change the head of the prompt in the middle.
 * Without a credential no beginning is remembered, so that nothing more may be kept.
 */
function withChosen({ exchange, known, agentId }: PlannableRequest, current: PlanContext): PlanContext {
  if (known !== undefined || agentId === undefined || !exchange.identity.hasCredential) return current;
  const names = current.agents.chosenBy(agentId);
  if (names.length === 0) return current;
  return { ...current, ...current.withHead(headKeeping(current.head, names)) };
}

/** Returns a request whose upstream has this load mode. */
function withLoadMode(request: PlannableRequest, load: Upstream['load']): PlannableRequest {
  const { exchange } = request;
  const { target } = exchange;
  if (load === target.upstream.load) return request;
  const upstream = { ...target.upstream, load };
  return { ...request, exchange: { ...exchange, target: { ...target, upstream } } };
}

/**
 * Returns a request that begins a conversation, in swap mode if its provider caches nothing: there a change of the
 * tools costs nothing, and the model calls what it has loaded by its own name. Without a credential no beginning is
 * remembered, so that the mode would change in the middle.
 */
function withSwapWhereUncached(
  request: PlannableRequest,
  { agents, loadModes, onDefect }: PlanContext,
): PlannableRequest {
  const { exchange, view, agentId } = request;
  const { format, target, identity } = exchange;
  const { upstream } = target;
  if (agentId === undefined || !identity.hasCredential || upstream.load !== 'auto') return request;
  const placed = { format, upstream, view };
  if (!agents.cachesNothing(agentId) || hasSeveralModes(loadModes, placed)) return request;
  return unlessDefect(() => isBound(placed), onDefect) === false ? withLoadMode(request, 'swap') : request;
}

/** Weighs a plan that defers; undefined for others, and for requests whose agent is not known. */
function weigh(
  { agentId, ...request }: PlannableRequest,
  { plan, preloaded }: Parameters<typeof weighDeferral>[1],
  context: PlanContext,
): Weighed | undefined {
  if (agentId === undefined || plan.reason !== 'deferred') return undefined;
  return weighDeferral({ ...request, agentId }, { plan, preloaded }, context);
}

/**
 * Returns whether a conversation without a choice defers. Only its first request decides anew; another one, whose
 * beginning is not known, follows the agent's latest conversation.
 */
function choose(
  request: PlannableRequest,
  weighed: Weighed | undefined,
  { agents }: PlanContext,
): boolean | undefined {
  const { agentId, isObserved } = request;
  if (agentId === undefined || weighed === undefined) return undefined;
  const latest = agents.meansOf(agentId).isDeferring;
  if (latest !== undefined && !isFirstOf(request)) return latest;
  if (!isObserved) agents.begin(agentId, weighed.defers);
  return weighed.defers;
}

/**
 * Returns the tools that a conversation shows from its start: those of its notes, or else those that the words of
 * its first message choose. Never rejects.
 */
async function chooseToPreload(
  { known, view }: PlannableRequest,
  { session, read }: { readonly session: ExchangeSession; readonly read: SessionReading },
  context: PlanContext,
): ReturnType<Preload> {
  // A conversation that continues from a response has got its preloaded tools there.
  if (known !== undefined) return NONE;
  const chosen = await preloadSafely(view, context);
  const names = (read.preloaded ?? chosen.names).slice(0, context.settings['tools.preload']);
  if (read.preloaded === undefined) session.keepPreloaded(names);
  return names.length === 0 ? NONE : { names, groups: chosen.groups };
}

const NONE = { names: [], groups: [] } as const;

/** Opens the session with this key for the exchange. */
function openSession(
  request: PlannableRequest,
  key: string | undefined,
  context: PlanContext,
): ExchangeSession {
  const { exchange, view, conversation, known, hold } = request;
  const { format, target, identity } = exchange;
  const { settings, strategy, loadModes } = context;
  const { tenant, hasCredential } = identity;
  const { toolSection: section } = view;
  const hasSearch = strategy.search !== undefined;
  const hasModes = hasSeveralModes(loadModes, { format, upstream: target.upstream, view });
  return new ExchangeSession(
    {
      tenant,
      session: key ?? 'none',
      format,
      view,
      hasCredential,
      place: known ?? conversation,
      hasModes,
      keepsOpenings: hasSearch && hasModes,
      keepsBeginning: hasCredential && section !== undefined,
      keepsPreloaded: hasSearch && hasCredential && key !== undefined && conversation.isNamed,
      take: takerOf(hold),
      patienceMs: settings['tools.api.timeout'],
    },
    context,
  );
}

/**
 * Whether the request has several modes. A defect counts as no: planning meets the same defect and reports
 * it.
 */
function hasSeveralModes(loadModes: LoadModes, request: PlacedRequest): boolean {
  try {
    return loadModes.allowsNative(request);
  } catch {
    return false;
  }
}

/**
 * A separate function, as for every closure that outlives a step: a closure within an asynchronous function
 * keeps everything alive that the function ever awaited, so that the young-generation garbage collector takes
 * finished exchanges for live ones.
 */
function takerOf(hold: MemoryHold): (bytes: number) => boolean {
  return (bytes) => hold.take(bytes);
}

function planFor(
  { exchange, view, known }: PlannableRequest,
  found: Pick<PlanSource, 'hiddenTurns' | 'verdict' | 'preloaded' | 'groups' | 'kept'>,
  context: PlanContext,
): Plan {
  const { format, target, identity } = exchange;
  const earlierNames = known?.alias.names;
  const plan = planRequest(
    { ...found, view, earlierNames, format, upstream: target.upstream, tenant: identity.tenant },
    context,
  );
  const isUnknown =
    known === undefined && format.capabilities.storedResponses?.previousId(view) !== undefined;
  return isUnknown && plan.loadMode === 'bridge' ? { ...plan, hasUnknownPast: true as const } : plan;
}

function keptOf(known: KnownResponse | undefined, view: RequestView, plan: Plan): () => readonly string[] {
  return () => known?.kept ?? keptNames(view, plan);
}

/**
 * Maximum number of names to keep: more than a conversation shows from its start. A client that continues
 * from a stored response may declare any number.
 */
const MOST_KEPT = 256;

/** Returns the functions that a plan does not defer. */
function keptNames({ tools }: RequestView, { defer }: Plan): string[] {
  const deferred = new Set(defer);
  const names = tools.flatMap(({ kind, name }) => (kind === 'function' && name !== undefined ? [name] : []));
  return names.filter((name) => !deferred.has(name)).slice(0, MOST_KEPT);
}
