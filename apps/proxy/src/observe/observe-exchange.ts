import type { KeyObject } from 'node:crypto';
import type { Agreement, Observation, PriceTable, SearchRecord } from '@winnow/core';
import { silentSpan } from '@winnow/service';
import { BodyBytes, FORMATS, type Format, type Plan, type RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import type { Profiles } from '../config/profiles.ts';
import { type RequestOutcome, readExchange } from '../reading/read-exchange.ts';
import { measurementOf } from '../records/agent-measurement.ts';
import { calledTools, callFields } from '../records/called-tools.ts';
import { toolFields } from '../records/fold-record.ts';
import { listedTools } from '../records/listed-tools.ts';
import { modelName } from '../records/model-name.ts';
import { repeatsRequest } from '../records/repeats-request.ts';
import { shownTools } from '../records/shown-tools.ts';
import { ClientIdentity } from '../sessions/client-identity.ts';
import { shortKey } from '../sessions/short-key.ts';
import { Agents } from '../strategies/agents.ts';
import { bypass, isBypass } from '../strategies/bypass.ts';
import { keptByPattern } from '../strategies/never-defer.ts';
import { type Planner, planRequest } from '../strategies/plan-request.ts';
import type { Policy } from '../strategies/policy.ts';
import { preloadSafely } from '../strategies/preload-safely.ts';
import { scoreTool, toScoreContext } from '../strategies/relevance.ts';
import { isDecidedByBill } from '../strategies/saving-rules.ts';
import { type Upstream, withLoad } from '../upstream/choose-upstream.ts';
import type { ObservationOrder, Observed } from './observation-order.ts';
import { type ReadResponse, readCalledNames } from './read-called-names.ts';
import { type SearchLastMessageContext, searchLastMessage } from './search-last-message.ts';

/** Context for observing. */
export interface ObserveContext
  extends Policy,
    Planner,
    Pick<SearchLastMessageContext, 'settings' | 'searches'> {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Keeps session keys from revealing their sources. */
  readonly sessionSecret: KeyObject;
  readonly prices: PriceTable;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

/**
 * Simulates the configured strategy on a finished exchange; in `shadow`, compares the result with the model's
 * behaviour without it.
 *
 * The session is treated as empty: tools that it would have loaded are called in the history, and are kept
 * anyway. Rejects only on a defect.
 */
export async function observeExchange(
  order: ObservationOrder,
  contexts: Profiles<ObserveContext>,
): Promise<Observed> {
  const format = FORMATS.find(({ name }) => name === order.format)!;
  const reading = await readOrder(order, format, contexts.otherwise);
  const context = contexts.candidatesFor(order.profiled).choose(reading.view?.model);
  const plan = await planFor(reading, order, format, context);
  const about = describe(reading.view, plan, order, context);
  const { view } = reading;
  if (!view || isBypass(plan)) return { ...about, observation: { status: statusOf(plan) } };
  const search = await searchLastMessage(view, plan, {
    ...context,
    requestId: order.requestId,
    span: silentSpan(order.trace),
  });
  const done: Observation = { status: 'done', ...(search && { search }) };
  if (order.arm === 'dark') return { ...about, observation: done };
  const response = order.response && (await readCalledNames(order.response, format, view));
  return {
    ...about,
    ...(response?.usage && { usage: response.usage }),
    ...(response && callFields(calledTools(view, NOTHING_HIDDEN, response.calledNames))),
    ...(repeatsRequest(view) && { repeats: true }),
    observation: {
      ...done,
      ...compareWithModel({ view, plan, search, response, settings: context.settings }),
    },
  };
}

/** The model saw all tools. */
const NOTHING_HIDDEN = { defer: [], load: [] };

function readOrder(
  { request: { pieces, contentEncoding }, purpose, address }: ObservationOrder,
  format: Format,
  { settings, onDefect }: ObserveContext,
): Promise<RequestOutcome> {
  return readExchange(new BodyBytes(pieces), {
    format,
    purpose,
    address,
    contentEncoding,
    searchToolName: settings['tools.search_tool_name'],
    clientSearchTools: settings['tools.client_search_tools'],
    neverClientSearch: settings['tools.never_client_search'],
    limitBytes: settings['server.max_body'],
    onDefect,
  });
}

async function planFor(
  reading: RequestOutcome,
  { origin }: ObservationOrder,
  format: Format,
  context: ObserveContext,
): Promise<Plan> {
  if (!reading.ok) return bypass(reading.reason);
  const { view } = reading;
  const upstream = withLoad(context.upstreams.get(origin.upstream)!, context.load);
  const preloaded = await preloadSafely(view, context);
  const plan = planRequest(
    { view, hiddenTurns: [], verdict: undefined, preloaded, format, upstream, tenant: '' },
    context,
  );
  const measured = { format, upstream, view, plan, preloaded };
  return isBypass(plan) || isExpectedToPay(measured, context) ? plan : bypass('few_savings');
}

/**
 * Whether an agent of which nothing is known yet would defer: what arm `full` decides for its first conversations.
 * Tools that the history has loaded do not count.
 */
function isExpectedToPay(
  { plan, preloaded, ...request }: Parameters<typeof measurementOf>[0],
  context: ObserveContext,
): boolean {
  if (context.strategy.search === undefined || !isDecidedByBill(context.settings)) return true;
  const load = plan.load.filter((name) => preloaded.includes(name));
  const agents = new Agents({ now: context.now, wallClock: context.now });
  agents.measure(ANY_AGENT, measurementOf({ ...request, plan: { ...plan, load }, preloaded }, context));
  return agents.decide(ANY_AGENT)?.defers ?? true;
}

const ANY_AGENT = '';

function describe(
  view: RequestView | undefined,
  plan: Plan,
  { origin }: ObservationOrder,
  { sessionSecret, settings, profile }: ObserveContext,
): Omit<Observed, 'observation'> {
  const alwaysKeep = view && keptByPattern(view, settings['tools.always_keep']);
  const list = listedTools(view?.toolSection, plan.defer);
  return {
    planReason: plan.reason,
    ...(profile !== undefined && { profile }),
    session: shortKey(new ClientIdentity(origin, sessionSecret).conversationOf(view).key),
    ...(view && {
      model: modelName(view),
      isStream: view.isStream,
      loadMode: plan.loadMode,
      ...toolFields(shownTools(view, plan)),
      ...(alwaysKeep && { alwaysKeep }),
    }),
    // The model saw all tools, including those that the plan would have deferred.
    ...(list && { list, toolList: { id: list.id, requests: 1, ...(plan.defer.length > 0 && { whole: 1 }) } }),
  };
}

/** Returns the status for an exchange whose tools would not have been edited. */
function statusOf({ reason }: Plan): Observation['status'] {
  return reason === 'plan_failed' ? 'failed' : 'not_applicable';
}

/** A model's calls with all tools visible, and the tools that it would have been shown. */
interface JudgedCalls {
  /** Names that the model called, in order. */
  readonly calledNames: readonly string[];
  /** Names that would have been deferred. */
  readonly deferred: readonly string[];
  /** Deferred names that the model would have been shown anyway. */
  readonly shown: readonly string[];
}

/** The judgement of the calls: fields of an observation. */
interface Judgement {
  readonly called: string[];
  readonly wouldHaveMissed: string[];
}

/**
 * Returns the deferred tools that the model called, and those among them that it would not have been shown;
 * each once, in the order of the calls.
 */
export function judgeCalls({ calledNames, deferred, shown }: JudgedCalls): Judgement {
  const isDeferred = new Set(deferred);
  const isShown = new Set(shown);
  const called = [...new Set(calledNames)].filter((name) => isDeferred.has(name));
  return { called, wouldHaveMissed: called.filter((name) => !isShown.has(name)) };
}

/**
 * Measures the agreement of two lists of distinct picks, best first. Symmetric. Two empty lists agree fully.
 *
 * Kendall's tau covers the picks in both lists: pairs in the same order minus pairs in the opposite order, as
 * a share of all pairs. Source: Kendall 1938, "A new measure of rank correlation", without ties, as ranks in
 * a list differ.
 */
export function comparePicks(left: readonly string[], right: readonly string[]): Agreement {
  const placeOnRight = new Map(right.map((name, place) => [name, place]));
  const places = left.flatMap((name) => placeOnRight.get(name) ?? []);
  const shared = places.length;
  const longer = Math.max(left.length, right.length);
  const either = left.length + right.length - shared;
  return {
    overlap: longer === 0 ? 1 : shared / longer,
    jaccard: either === 0 ? 1 : shared / either,
    ...(shared > 1 && { rankCorrelation: kendallTau(places) }),
  };
}

/** Returns Kendall's tau of ranks against their order in the list. */
function kendallTau(ranks: readonly number[]): number {
  let difference = 0;
  for (const [at, rank] of ranks.entries()) {
    for (const later of ranks.slice(at + 1)) difference += Math.sign(later - rank);
  }
  return difference / ((ranks.length * (ranks.length - 1)) / 2);
}

/** The input of a choice. */
interface RelevanceChoice {
  readonly view: RequestView;
  /** Names of the tools to choose from. */
  readonly deferred: readonly string[];
  /** Maximum number of names to pick. */
  readonly limit: number;
}

/**
 * Returns the tools that the `relevance` strategy ranks best for the last user message, best first; ties keep
 * the client's order.
 *
 * Tools without points are not picked, although the strategy would fill up with them: they would say nothing
 * about the selector's picks.
 */
export function pickByRelevance({ view, deferred, limit }: RelevanceChoice): string[] {
  const wanted = new Set(deferred);
  const context = toScoreContext(view, [], []);
  return view.tools
    .flatMap((tool) => (tool.name !== undefined && wanted.delete(tool.name) ? [tool] : []))
    .map((tool) => ({ name: tool.name!, score: scoreTool(tool, context) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, limit)
    .map(({ name }) => name);
}

/** The input of a comparison. */
interface Comparison {
  readonly view: RequestView;
  readonly plan: Plan;
  /** Undefined for a strategy without searches. */
  readonly search: SearchRecord | undefined;
  /** Undefined without a complete response. */
  readonly response: ReadResponse | undefined;
  readonly settings: Settings;
}

/** The fields of an observation besides its search. */
type Compared = Omit<Observation, 'status' | 'search'>;

/** Compares the selector's picks with those of `relevance` and with the model's calls. */
function compareWithModel({ view, plan, search, response, settings }: Comparison): Compared {
  const limit = settings['tools.max_search_results'];
  const isResolved =
    search?.outcome === 'found' || search?.outcome === 'weak' || search?.outcome === 'no_match';
  // A failed search shows everything; without searches, deferred tools are never shown.
  const shown = search && !isResolved ? plan.defer : (search?.names ?? []);
  const isLoaded = new Set(plan.load);
  const hidden = plan.defer.filter((name) => !isLoaded.has(name));
  const relevancePicks = search && pickByRelevance({ view, deferred: plan.defer, limit });
  return {
    ...(relevancePicks && { relevancePicks }),
    ...(relevancePicks && isResolved && { agreement: comparePicks(search.names, relevancePicks) }),
    ...(response && judgeCalls({ calledNames: response.calledNames, deferred: hidden, shown })),
  };
}
