import type { ExchangeRecord } from '@winnow/core';
import { causeCode } from '@winnow/service';
import type { Settings } from '../config/config.ts';
import { recordAttributes } from '../records/describe-record.ts';
import {
  type ExchangeFact,
  type RecordStart,
  type Tell,
  type TimedFact,
  Timeline,
} from '../records/exchange-fact.ts';
import { foldRecord, plannedList } from '../records/fold-record.ts';
import { isoTime } from '../records/record-sink.ts';
import type { ListedTools } from '../records/request-facts.ts';
import type { Policy } from '../strategies/policy.ts';
import { errorCodeOf, PROXY_ERRORS } from '../upstream/proxy-error.ts';
import { type Ending, type FormatExchange, type IncomingExchange, unlessDefect } from './exchange.ts';

export interface ReportContext {
  readonly settings: Settings;
  readonly effects: { readonly now: () => number; readonly wallClock: () => number };
  /** Receives the record of each finished exchange with its tools, exactly once. Returns at once. */
  readonly takeRecord: (record: ExchangeRecord, list: ListedTools | undefined) => void;
  /** Receives errors that are defects. */
  readonly onDefect: (error: unknown) => void;
  /** Receives the facts of each exchange before its record; undefined if the page is disabled. */
  readonly live?: { takeFacts(requestId: string, facts: readonly TimedFact[]): void } | undefined;
}

/**
 * Runs an exchange and reports it once, however it ends: as a record, as metrics counted from it, and as a
 * span. Rejects as `run` does.
 */
export async function reportExchange(
  exchange: FormatExchange,
  context: ReportContext,
  run: (tell: Tell) => Promise<Ending>,
): Promise<void> {
  const { span } = exchange;
  const timeline = new Timeline(startOf(exchange, context), context.effects.now);
  const { tell } = timeline;
  try {
    tell({ kind: 'ended', ...(await run(tell)) });
  } catch (error) {
    tell(failedEnding(error, exchange));
    throw error;
  } finally {
    const soFar = timeline.soFar();
    const record = foldRecord(soFar);
    context.live?.takeFacts(record.requestId, soFar.facts);
    if (span.isRecorded) span.set(recordAttributes(record, soFar.facts));
    // A failure to count or write it must not cost the exchange its response.
    unlessDefect(() => context.takeRecord(record, plannedList(soFar.facts)), context.onDefect);
  }
}

function startOf(
  { target, format, head }: FormatExchange,
  { settings, effects }: Pick<ReportContext, 'settings' | 'effects'>,
): RecordStart {
  return {
    time: isoTime(effects.wallClock()),
    requestId: head.requestId,
    upstream: target.upstream.name,
    format: format.name,
    strategy: settings['tools.strategy'],
  };
}

/**
 * Returns the end of an exchange that failed: the client has left, has received a status, or is about to
 * receive one.
 */
function failedEnding(error: unknown, { response, signal }: IncomingExchange): ExchangeFact {
  if (signal.aborted) return { kind: 'ended', outcome: 'client_gone', status: undefined };
  const status = response.hasStarted ? response.status : PROXY_ERRORS[errorCodeOf(error)];
  return { kind: 'ended', outcome: 'failed', status, cause: causeCode(error) };
}

/** Tells which profile a request matches, if any. */
export function tellProfile({ profile }: Pick<Policy, 'profile'>, tell: Tell): void {
  if (profile !== undefined) tell({ kind: 'profiled', profile });
}
