import type { KeyObject } from 'node:crypto';
import type { Observation } from '@winnow/contract';
import { silentSpan } from '@winnow/tracing';
import { FORMATS, type Format, type Plan, type RequestView } from '@winnow/wire';
import { planExchange } from '../exchange/plan-exchange.ts';
import { type RequestOutcome, readExchange } from '../exchange/read-exchange.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { modelName } from '../records/model-name.ts';
import { addToolBytes, countTools, measureTools, NO_TOOL_BYTES } from '../records/start-record.ts';
import { cluesOf } from '../sessions/clues-of.ts';
import { sessionKey } from '../sessions/session-key.ts';
import { shortKey } from '../sessions/short-key.ts';
import { bypass, isBypass } from '../strategies/bypass.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';
import { compareWithModel } from './compare-with-model.ts';
import type { ObservationOrder, Observed } from './observation-order.ts';
import { readCalledNames } from './read-called-names.ts';
import { searchBeside } from './search-beside.ts';

/** What observing takes. */
export interface ObserveContext
  extends Pick<ProxyContext, 'settings' | 'searches' | 'loadModes' | 'onDefect'> {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Keeps session keys from telling what they were made of. */
  readonly sessionSecret: KeyObject;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
}

/**
 * Does for an exchange that has passed by what the configured strategy would have done; for `shadow`, judges it by what the model did
 * without it.
 *
 * The session is taken to be empty: tools that it would have loaded are called in the history, and those are kept anyway. Rejects only
 * by a defect.
 */
export async function observeExchange(order: ObservationOrder, context: ObserveContext): Promise<Observed> {
  const format = FORMATS.find(({ name }) => name === order.format)!;
  const reading = await readOrder(order, format, context);
  const plan = planFor(reading, order, format, context);
  const about = describe(reading.view, plan, order, context);
  const { view } = reading;
  if (!view || isBypass(plan)) return { ...about, observation: { status: statusOf(plan) } };
  const search = await searchBeside(view, plan, {
    ...context,
    requestId: order.requestId,
    span: silentSpan(order.trace),
  });
  const done: Observation = { status: 'done', ...(search && { search }) };
  if (order.arm === 'dark') return { ...about, observation: done };
  const answer = order.answer && (await readCalledNames(order.answer, format, view));
  return {
    ...about,
    ...(answer?.usage && { usage: answer.usage }),
    observation: { ...done, ...compareWithModel({ view, plan, search, answer, settings: context.settings }) },
  };
}

function readOrder(
  { request: { pieces, contentEncoding }, purpose }: ObservationOrder,
  format: Format,
  { settings, onDefect }: ObserveContext,
): Promise<RequestOutcome> {
  return readExchange(Buffer.concat(pieces), {
    format,
    purpose,
    contentEncoding,
    searchToolName: settings['pipes.tool_discovery.search_tool_name'],
    limitBytes: settings['server.max_body'],
    onDefect,
  });
}

function planFor(
  reading: RequestOutcome,
  { origin }: ObservationOrder,
  format: Format,
  context: ObserveContext,
): Plan {
  if (!reading.ok) return bypass(reading.reason);
  const { view } = reading;
  const upstream = context.upstreams.get(origin.upstream)!;
  // What the history calls, a search would have loaded: so the deferred tools stay the same from turn to turn, as in earnest, and the
  // selector knows them again.
  const session = { loaded: [...view.calledNames], hiddenTurns: [] };
  return planExchange({ view, session, format, upstream }, context);
}

function describe(
  view: RequestView | undefined,
  plan: Plan,
  { origin }: ObservationOrder,
  { sessionSecret }: ObserveContext,
): Omit<Observed, 'observation'> {
  return {
    planReason: plan.reason,
    session: shortKey(sessionKey(cluesOf(view, origin), sessionSecret)),
    ...(view && {
      model: modelName(view),
      isStream: view.isStream,
      loadMode: plan.loadMode,
      tools: countTools(view, plan),
      toolBytes: addToolBytes(NO_TOOL_BYTES, measureTools(view, plan)),
    }),
  };
}

/** Of an exchange whose tools would have been left alone. */
function statusOf({ reason }: Plan): Observation['status'] {
  return reason === 'plan_failed' ? 'failed' : 'not_applicable';
}
