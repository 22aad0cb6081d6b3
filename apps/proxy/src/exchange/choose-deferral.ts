import { DeferralDecision, type PriceTable } from '@winnow/core';
import type { Plan, RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { measurementOf } from '../records/agent-measurement.ts';
import { modelName } from '../records/model-name.ts';
import { newBytes } from '../records/new-bytes.ts';
import { LASTING, type Note, type SessionStore } from '../sessions/session-store.ts';
import { agentIdOf, programName } from '../strategies/agent-id.ts';
import type { Agents } from '../strategies/agents.ts';
import type { Planner } from '../strategies/plan-request.ts';
import { BYTES_PER_TOKEN, isDecidedByBill } from '../strategies/saving-rules.ts';
import type { ReceivedRequest } from './receive-request.ts';
import { unlessDefect } from './unless-defect.ts';

/** Context for choosing. */
export interface DeferralContext extends Pick<Planner, 'strategy' | 'onDefect'> {
  readonly settings: Settings;
  readonly agents: Agents;
  readonly prices: PriceTable;
  readonly sessions: SessionStore;
}

/** The part of a request that the choice depends on. */
export interface ChoosableRequest extends Pick<ReceivedRequest, 'exchange' | 'known'> {
  readonly view: RequestView;
}

/** A request whose agent's bill decides whether its tools are deferred. */
export interface PricedRequest {
  readonly agentId: string;
  readonly isFirst: boolean;
}

/**
 * Returns the id of the agent that a request comes from; undefined without tools or a search tool, and after a
 * defect.
 */
export function agentOf(
  { exchange, view }: Pick<ChoosableRequest, 'exchange'> & { readonly view: RequestView | undefined },
  { strategy, onDefect }: Pick<DeferralContext, 'strategy' | 'onDefect'>,
): string | undefined {
  const section = view?.toolSection;
  if (section === undefined || strategy.search === undefined) return undefined;
  const { format, identity, request } = exchange;
  const userAgent = request.headers['user-agent']?.toString();
  const signs = { view: view!, section, format: format.name, userAgent };
  return unlessDefect(() => agentIdOf({ ...signs, tenant: identity.tenant }), onDefect);
}

/**
 * Counts a request among those of its agent, and reports that as a fact. `isDeferring` is whether it is in the
 * arm that defers.
 */
export function meetAgent(
  { exchange, reading: { view }, known, tell }: ReceivedRequest,
  { id, isDeferring }: { readonly id: string | undefined; readonly isDeferring: boolean },
  { agents, onDefect }: Pick<DeferralContext, 'agents' | 'onDefect'>,
): void {
  if (view === undefined || id === undefined || exchange.purpose !== 'answer') return;
  const met = unlessDefect(() => {
    const isFirst = isFirstOf({ exchange, view, known });
    const newTokens = newBytes(view) / BYTES_PER_TOKEN;
    const name = programName(exchange.request.headers['user-agent']?.toString());
    const { sender, identity, target } = exchange;
    return {
      ...agents.meet({
        ...{ id, isFirst, isDeferring, newTokens },
        place: JSON.stringify([target.upstream.name, modelName(view)]),
        marksLatest: marksLatest(exchange, view),
        chosen: view.toolChoice.names,
      }),
      ...(name && { name }),
      ...(sender !== undefined && { client: identity.senderKey(sender) }),
    };
  }, onDefect);
  if (met !== undefined) tell({ kind: 'agent_met', ...met });
}

/**
 * Returns a request as its agent's bill decides about it; undefined if fixed thresholds do: with the goal
 * `context`, with thresholds of the operator's own, or without a known agent.
 */
export function pricedRequest(
  request: ChoosableRequest & { readonly agentId: string | undefined },
  { settings, onDefect }: Pick<DeferralContext, 'settings' | 'onDefect'>,
): PricedRequest | undefined {
  const { agentId } = request;
  if (agentId === undefined || !isDecidedByBill(settings)) return undefined;
  return unlessDefect(() => ({ agentId, isFirst: isFirstOf(request) }), onDefect);
}

/** Whether a request seems to begin a conversation. */
export function isFirstOf({ exchange, view, known }: ChoosableRequest): boolean {
  if (known !== undefined || view.turns.length > 0) return false;
  return exchange.format.capabilities.storedResponses?.previousId(view) === undefined;
}

/**
 * Returns whether an agent's conversations defer their tools; undefined while fixed thresholds decide. Only
 * the first request of a conversation may change the decision. Never rejects.
 */
export async function currentChoice(
  { agentId, isFirst }: PricedRequest,
  tenant: string,
  { agents, sessions }: Pick<DeferralContext, 'agents' | 'sessions'>,
): Promise<boolean | undefined> {
  const before = agents.decisionOf(agentId);
  if (!isFirst && before !== undefined) return before.defers;
  const keys = { decision: `${LASTING}agent ${agentId}`, cache: `${LASTING}cache ${agentId}` };
  const isDue = sessions.isShared && agents.isDueToCompare(agentId);
  const shared = isDue ? await readShared(sessions, tenant, keys) : undefined;
  if (shared?.hasCache) agents.adoptCache(agentId);
  if (shared?.decision !== undefined) agents.adopt(agentId, shared.decision);
  const decision = agents.decide(agentId);
  if (sessions.isShared) {
    const isNew = decision !== undefined && decision.defers !== (shared?.decision ?? before)?.defers;
    const notes: Note[] = [];
    if (isNew) notes.push({ key: keys.decision, value: JSON.stringify(decision), ifTaken: 'replace' });
    if (agents.isCacheNews(agentId)) notes.push({ key: keys.cache, value: HAS_CACHE, ifTaken: 'replace' });
    // No response waits for them; without them, other processes decide by themselves.
    if (notes.length > 0) sessions.add({ tenant, session: 'agents' }, notes).catch(() => {});
  }
  return decision?.defers;
}

/** The note that a provider caches an agent's prompts. */
const HAS_CACHE = 'true';

/** Findings of other processes about an agent. */
interface SharedFindings {
  readonly decision: DeferralDecision | undefined;
  readonly hasCache: boolean;
}

async function readShared(
  sessions: SessionStore,
  tenant: string,
  keys: Readonly<Record<'decision' | 'cache', string>>,
): Promise<SharedFindings | undefined> {
  try {
    const notes = await sessions.read(tenant, Object.values(keys));
    const decision = DeferralDecision.safeParse(JSON.parse(notes.get(keys.decision) ?? 'null')).data;
    return { decision, hasCache: notes.get(keys.cache) === HAS_CACHE };
  } catch {
    return undefined;
  }
}

/** A plan, and the names of the tools that are preloaded in it. */
interface PreloadingPlan {
  readonly plan: Plan;
  readonly preloaded: readonly string[];
}

/**
 * Notes the sizes of an agent's prompts, and the terms of its provider, as long as a conversation has loaded
 * no other tools than the preloaded ones.
 */
export function measureAgent(
  { agentId }: PricedRequest,
  request: ChoosableRequest,
  { plan, preloaded }: PreloadingPlan,
  context: Pick<DeferralContext, 'agents' | 'prices' | 'settings' | 'onDefect'>,
): void {
  if (plan.load.some((name) => !preloaded.includes(name))) return;
  unlessDefect(() => {
    const { exchange, view } = request;
    const upstream = exchange.target.upstream;
    const measured = measurementOf({ format: exchange.format, upstream, view, plan, preloaded }, context);
    context.agents.measure(agentId, measured);
  }, context.onDefect);
}

/**
 * Whether a request marks its first messages, one of its last two turns or anything after them, or leaves caching
 * to the provider; undefined for formats that need no marks.
 */
function marksLatest(
  { format: { capabilities } }: ChoosableRequest['exchange'],
  { body, text, turns, spans }: RequestView,
): boolean | undefined {
  const { cacheMark } = capabilities;
  if (cacheMark === undefined || spans.history.length === 0) return undefined;
  if (cacheMark.slice(1, -2) in body) return true;
  const turn = turns.at(-2) ?? turns[0];
  const [start, end] = [spans.history[turn?.position ?? 0]!.start, spans.history.at(-1)!.end];
  return text.slice(start, end).includes(cacheMark);
}
