import { type ExpectedDeferral, expectedBill, type PriceTable, ratiosOf } from '@winnow/core';
import type { Format, Plan, RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { shownTools } from '../records/request-facts.ts';
import { agentIdOf, programName } from '../strategies/agent-id.ts';
import type { Agents } from '../strategies/agents.ts';
import type { Planner } from '../strategies/plan-request.ts';
import { BYTES_PER_TOKEN } from '../strategies/saving-rules.ts';
import { searchToolBytes } from '../strategies/search-tool-bytes.ts';
import { unlessDefect } from './exchange.ts';
import type { ReceivedRequest } from './receive-request.ts';

/** Context for choosing. */
export interface DeferralContext extends Pick<Planner, 'strategy' | 'onDefect'> {
  readonly settings: Settings;
  readonly agents: Agents;
  readonly prices: PriceTable;
}

/** The part of a request that the choice depends on. */
export interface ChoosableRequest extends Pick<ReceivedRequest, 'exchange' | 'known'> {
  readonly view: RequestView;
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
    const name = programName(exchange.request.headers['user-agent']?.toString());
    return {
      ...agents.meet({ id, isFirst, isDeferring, chosen: view.toolChoice.names }),
      ...(name && { name }),
    };
  }, onDefect);
  if (met !== undefined) tell({ kind: 'agent_met', ...met });
}

/** Whether a request seems to begin a conversation. */
export function isFirstOf({ exchange, view, known }: ChoosableRequest): boolean {
  if (known !== undefined || view.turns.length > 0) return false;
  return exchange.format.capabilities.storedResponses?.previousId(view) === undefined;
}

/** The largest expected bill, as a share of the direct one, at which each goal defers. */
const MOST_OF_DIRECT: Readonly<Record<Settings['tools.goal'], number>> = {
  cost: 0.95,
  balanced: 1.05,
  context: Number.POSITIVE_INFINITY,
};

/** The effect that deferring is expected to have, and the choice for new conversations that follows from it. */
export interface Weighed {
  readonly expected: ExpectedDeferral;
  readonly defers: boolean;
}

/** A plan that defers, and the names of the tools that are preloaded in it. */
interface DeferringPlan {
  readonly plan: Plan;
  readonly preloaded: readonly string[];
}

/** Weighs the bill of an agent's conversations by a plan that defers; undefined after a defect. */
export function weighDeferral(
  { exchange: { format }, view, agentId }: ChoosableRequest & { readonly agentId: string },
  { plan, preloaded }: DeferringPlan,
  { agents, prices, settings, onDefect }: Omit<DeferralContext, 'strategy'>,
): Weighed | undefined {
  return unlessDefect(() => {
    const brought = plan.load.filter((name) => preloaded.includes(name));
    const { bytesBefore, bytesAfter, counts } = shownTools(view, { ...plan, load: NONE });
    const system = view.systemTexts.reduce((sum, text) => sum + text.length, 0);
    const bridge = plan.loadMode === 'bridge' ? searchToolBytes(plan.bridgeTool) : 0;
    const freed = Math.max(0, bytesBefore - bytesAfter - bridge);
    const means = agents.meansOf(agentId);
    const found = (means.found * freed) / counts.deferred;
    const isCached = marksCache(format, view) !== false;
    const head = (bytesAfter + bridge + system) / BYTES_PER_TOKEN;
    agents.measure(agentId, [head, head + freed / BYTES_PER_TOKEN]);
    const bill = expectedBill(
      {
        head,
        freed: freed / BYTES_PER_TOKEN,
        preloaded: (shownTools(view, { ...plan, load: brought }).bytesAfter - bytesAfter) / BYTES_PER_TOKEN,
        found: found / BYTES_PER_TOKEN,
        isSwapped: plan.loadMode === 'swap',
      },
      { ...means, cachedHead: isCached ? means.cachedHead : undefined },
      ratiosOf(prices, view.model, format.vendor.name),
    );
    const freedTokens = Math.round(freed / BYTES_PER_TOKEN);
    return {
      expected: {
        freedTokens,
        bill: toHundredths(bill),
      },
      defers: bill <= MOST_OF_DIRECT[settings['tools.goal']],
    };
  }, onDefect);
}

const NONE: readonly string[] = [];
const toHundredths = (value: number) => Math.round(100 * value) / 100;

/** Whether a request marks what to cache; undefined if its format needs no marks. */
function marksCache(
  { capabilities: { cacheMark } }: Pick<Format, 'capabilities'>,
  { text, tools }: RequestView,
): boolean | undefined {
  if (cacheMark === undefined) return undefined;
  return tools.some(({ isCacheMarked }) => isCacheMarked) || text.includes(cacheMark);
}
