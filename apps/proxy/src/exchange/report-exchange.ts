import type { ExchangeRecord, RolloutArm } from '@winnow/contract';
import { causeCode } from '@winnow/service';
import type { Settings } from '../config/config.ts';
import { errorCodeOf, PROXY_ERRORS } from '../http/proxy-error.ts';
import type { ExchangeTap, TappedExchange } from '../observe/exchange-tap.ts';
import { describeExchange } from '../records/describe-exchange.ts';
import type { ExchangeFact, Tell } from '../records/exchange-fact.ts';
import { foldRecord } from '../records/fold-record.ts';
import { isoTime } from '../records/iso-time.ts';
import { recordAttributes } from '../records/record-attributes.ts';
import { type RecordStart, type TimedFact, Timeline } from '../records/timeline.ts';
import type { Ending, FormatExchange } from './format-exchange.ts';
import type { HeadWriter } from './head-writer.ts';
import type { IncomingExchange } from './incoming-exchange.ts';

/** The means by which an exchange is reported. */
export interface Reporter {
  readonly tell: Tell;
  /** A tap for the exchange, as far as its arm wants one; to be asked for once at most. */
  readonly tap: (arm: RolloutArm) => ExchangeTap | undefined;
}

/** Context for reporting. */
export interface ReportContext {
  readonly settings: Settings;
  readonly effects: { readonly now: () => number; readonly wallClock: () => number };
  /** A tap for an exchange that is about to be forwarded as it is; undefined when there is nothing to find out about it. */
  readonly tap: (exchange: Omit<TappedExchange, 'arm'>, arm: RolloutArm) => ExchangeTap | undefined;
  /** Takes the record of each exchange, once, when it is over, with its tap. Never throws, and returns at once. */
  readonly takeRecord: (record: ExchangeRecord, tap?: ExchangeTap) => void;
  /** Takes the facts of exchanges while someone watches; undefined where the page is switched off. */
  readonly live?:
    | {
        readonly isWatched: boolean;
        takeFacts(requestId: string, facts: readonly TimedFact[]): void;
      }
    | undefined;
}

/**
 * Runs an exchange and reports it once, however it ends: its record, the metrics that are counted from that, and its span. The head of the
 * response tells what is known by then. Rejects as `run` does.
 */
export async function reportExchange(
  exchange: FormatExchange,
  context: ReportContext,
  run: (reporter: Reporter) => Promise<Ending>,
): Promise<void> {
  const { head, span } = exchange;
  const timeline = new Timeline(startOf(exchange, context), context.effects.now);
  const { tell } = timeline;
  head.describe = describerOf(timeline);
  let tapped: ExchangeTap | undefined;
  const tap = (arm: RolloutArm) => {
    tapped = context.tap(exchange, arm);
    return tapped;
  };
  try {
    tell({ kind: 'ended', ...(await run({ tell, tap })) });
  } catch (error) {
    tell(failedEnding(error, exchange));
    throw error;
  } finally {
    const soFar = timeline.soFar();
    const record = foldRecord(soFar);
    if (context.live?.isWatched) context.live.takeFacts(record.requestId, soFar.facts);
    if (span.isRecorded) span.set(recordAttributes(record));
    context.takeRecord(record, tapped);
  }
}

/**
 * Made apart from `reportExchange`, and so is whatever else outlives a step: a closure of an asynchronous function holds on to everything
 * that the function has ever awaited, which makes finished exchanges look alive to the garbage collector of young objects.
 */
function describerOf(timeline: Timeline): HeadWriter['describe'] {
  return (stage) => describeExchange(timeline.soFar(), stage);
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

/** The end of an exchange that failed with an error: the client has left, or has got a status, or is about to get one. */
function failedEnding(error: unknown, { response, signal }: IncomingExchange): ExchangeFact {
  if (signal.aborted) return { kind: 'ended', outcome: 'client_gone', status: undefined };
  const status = response.hasStarted ? response.status : PROXY_ERRORS[errorCodeOf(error)];
  return { kind: 'ended', outcome: 'failed', status, cause: causeCode(error) };
}
