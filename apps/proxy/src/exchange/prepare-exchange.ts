import type { ExchangeRecord } from '@winnow/contract';
import type { Format, Plan, Purpose, RequestView } from '@winnow/wire';
import type { ProxyContext } from '../proxy-context.ts';
import type { ExchangeClock } from '../records/exchange-clock.ts';
import { addToolBytes, countTools, measureTools } from '../records/start-record.ts';
import { cluesOf, originOf } from '../sessions/clues-of.ts';
import { sessionKey } from '../sessions/session-key.ts';
import type { Session } from '../sessions/session-store.ts';
import { shortKey } from '../sessions/short-key.ts';
import { ExchangeSession } from './exchange-session.ts';
import { planExchange } from './plan-exchange.ts';
import type { TracedExchange } from './trace-exchange.ts';

/** A request that a format handles. */
export interface FormatExchange extends TracedExchange {
  readonly format: Format;
  readonly purpose: Purpose;
}

/** A request as the client sent it. */
export interface Original {
  readonly exchange: FormatExchange;
  readonly context: ProxyContext;
  readonly record: ExchangeRecord;
  readonly clock: ExchangeClock;
  readonly body: Buffer;
}

/** A request that may be edited, with its plan. */
export interface Prepared extends Original {
  readonly view: RequestView;
  readonly session: ExchangeSession;
  /** What the session held when the exchange began. */
  readonly known: Session;
  readonly plan: Plan;
  /** Names that were deferred when the exchange began, the loaded ones included. */
  readonly deferred: readonly string[];
}

/** Finds what the conversation has gathered, and decides what the model shall see of the tools. Never rejects. */
export async function prepareExchange(original: Original, view: RequestView): Promise<Prepared> {
  const { exchange, record } = original;
  const span = exchange.span.startChild('plan', 'internal');
  try {
    return await prepare(original, view);
  } finally {
    span.set({ 'winnow.plan_reason': record.planReason, 'winnow.tools.deferred': record.tools.deferred });
    span.end();
  }
}

async function prepare(original: Original, view: RequestView): Promise<Prepared> {
  const { exchange, context, record } = original;
  const { incoming, target, format } = exchange;
  const key = sessionKey(cluesOf(view, originOf(incoming, target)), context.sessionSecret);
  const session = new ExchangeSession(key, context, record);
  const known = await session.read();
  const plan = planExchange({ view, session: known, format, upstream: target.upstream }, context);
  record.session = shortKey(key);
  record.hiddenTurnsKnown = known.hiddenTurns.length;
  record.planReason = plan.reason;
  record.loadMode = plan.loadMode;
  notePlan(record, view, plan);
  return { ...original, view, session, known, plan, deferred: plan.defer };
}

/** Puts into the record what a plan does to the tools of one more request. */
export function notePlan(record: ExchangeRecord, view: RequestView, plan: Plan): void {
  record.tools = countTools(view, plan);
  record.toolBytes = addToolBytes(record.toolBytes, measureTools(view, plan));
}
