import type { KeyObject } from 'node:crypto';
import type { Observation } from '@winnow/contract';
import { silentSpan } from '@winnow/tracing';
import { BodyBytes, FORMATS, type Format, type Plan, type RequestView } from '@winnow/wire';
import type { Profiles } from '../config/profiles.ts';
import { type RequestOutcome, readExchange } from '../reading/read-exchange.ts';
import { calledTools, callFields } from '../records/called-tools.ts';
import { toolFields } from '../records/fold-record.ts';
import { listedTools } from '../records/listed-tools.ts';
import { modelName } from '../records/model-name.ts';
import { repeatsRequest } from '../records/repeats-request.ts';
import { shownTools } from '../records/shown-tools.ts';
import { ClientIdentity } from '../sessions/client-identity.ts';
import { shortKey } from '../sessions/short-key.ts';
import { bypass, isBypass } from '../strategies/bypass.ts';
import { keptByPattern } from '../strategies/never-defer.ts';
import { type Planner, planRequest } from '../strategies/plan-request.ts';
import type { Policy } from '../strategies/policy.ts';
import { preloadSafely } from '../strategies/preload-safely.ts';
import { type Upstream, withLoad } from '../upstream/choose-upstream.ts';
import { compareWithModel } from './compare-with-model.ts';
import type { ObservationOrder, Observed } from './observation-order.ts';
import { readCalledNames } from './read-called-names.ts';
import { type SearchLastMessageContext, searchLastMessage } from './search-last-message.ts';

/** Context for observing. */
export interface ObserveContext
  extends Policy,
    Planner,
    Pick<SearchLastMessageContext, 'settings' | 'searches'> {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Keeps session keys from revealing their sources. */
  readonly sessionSecret: KeyObject;
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
  return planRequest(
    { view, hiddenTurns: [], verdict: undefined, preloaded, format, upstream, tenant: '' },
    context,
  );
}

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
    // The model saw all tools, whatever the plan would have deferred.
    ...(list && { list, toolList: { id: list.id, requests: 1, ...(plan.defer.length > 0 && { whole: 1 }) } }),
  };
}

/** Returns the status for an exchange whose tools would not have been edited. */
function statusOf({ reason }: Plan): Observation['status'] {
  return reason === 'plan_failed' ? 'failed' : 'not_applicable';
}
