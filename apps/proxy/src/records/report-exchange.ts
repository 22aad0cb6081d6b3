import type { RolloutArm } from '@winnow/contract';
import { causeCode } from '@winnow/service';
import type { IncomingExchange } from '../app.ts';
import type { HeadWriter } from '../client/head-writer.ts';
import { errorCodeOf, PROXY_ERRORS } from '../client/proxy-error.ts';
import type { Ending, FormatExchange } from '../exchange/format-exchange.ts';
import type { ExchangeTap } from '../observe/exchange-tap.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { describeExchange } from './describe-exchange.ts';
import type { ExchangeFact, Tell } from './exchange-fact.ts';
import { foldRecord } from './fold-record.ts';
import { isoTime } from './iso-time.ts';
import { recordAttributes } from './record-attributes.ts';
import { type RecordStart, Timeline } from './timeline.ts';

/** What an exchange does to be reported. */
export interface Reporter {
  readonly tell: Tell;
  /** A tap for the exchange, as far as its arm wants one; to be asked for once at most. */
  readonly tap: (arm: RolloutArm) => ExchangeTap | undefined;
}

/**
 * Runs an exchange and reports it once, however it ends: its record, the metrics that are counted from that, and its span. The head of the
 * response tells what is known by then. Rejects as `run` does.
 */
export async function reportExchange(
  exchange: FormatExchange,
  context: Pick<ProxyContext, 'settings' | 'effects' | 'tap' | 'takeRecord' | 'live'>,
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
  { settings, effects }: Pick<ProxyContext, 'settings' | 'effects'>,
): RecordStart {
  return {
    time: isoTime(effects.wallClock()),
    requestId: head.requestId,
    upstream: target.upstream.name,
    format: format.name,
    strategy: settings['tools.strategy'],
  };
}

/** Of an exchange that was given up with an error: the client has left, or has got a status, or is about to get one. */
function failedEnding(error: unknown, { outgoing, signal }: IncomingExchange): ExchangeFact {
  if (signal.aborted) return { kind: 'ended', outcome: 'client_gone', status: undefined };
  const status = outgoing.headersSent ? outgoing.statusCode : PROXY_ERRORS[errorCodeOf(error)];
  return { kind: 'ended', outcome: 'failed', status, cause: causeCode(error) };
}
