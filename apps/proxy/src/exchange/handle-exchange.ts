import type { RequestMemory } from '../memory/request-memory.ts';
import { answerHosted, type HostedContext } from './answer-hosted.ts';
import { answerPolyfilled } from './answer-polyfilled.ts';
import { type ConverseContext, converse, sendWithoutThinking } from './converse.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import { ExchangeSender } from './exchange-sender.ts';
import type { Ending, FormatExchange } from './format-exchange.ts';
import { type BegunExchange, type ReceiveContext, receiveRequest } from './receive-request.ts';
import { type ReportContext, reportExchange } from './report-exchange.ts';
import type { RolloutDecision } from './rollout.ts';
import { type SortContext, sortExchange } from './sort-exchange.ts';

/** Context that exchanges share: the sum of what their steps need. */
export interface ExchangeContext
  extends ReceiveContext,
    SortContext,
    ConverseContext,
    HostedContext,
    ReportContext {
  readonly memory: RequestMemory;
  readonly effects: ExchangeEffects;
}

/**
 * Answers one request of a known format, and reports it once.
 *
 * Rejects with the error that is to be the response, or when the client has left. Without a decision, `rollout` depends on the
 * session.
 */
export async function handleExchange(
  exchange: FormatExchange,
  context: ExchangeContext,
  rollout: RolloutDecision | undefined,
): Promise<void> {
  const hold = context.memory.open(exchange.identity.client);
  try {
    await reportExchange(exchange, context, (reporter) =>
      answerExchange({ exchange, hold, ...reporter }, context, rollout),
    );
  } finally {
    hold.release();
  }
}

/**
 * The story of one exchange.
 *
 * A step takes what it needs and returns what it found; what happens meanwhile is told as facts, from which the record is folded at
 * the end. Whatever fails on our side, the client gets what it would have got without us: as long as it has seen nothing, its
 * original bytes are sent.
 */
async function answerExchange(
  begun: BegunExchange,
  context: ExchangeContext,
  rollout: RolloutDecision | undefined,
): Promise<Ending> {
  const { exchange, tell } = begun;
  if (rollout) tell({ kind: 'decided', ...rollout });

  // 1. Receive the request, and read what is acted on: tools, history, choices.
  const request = await receiveRequest(begun, context);

  // 2. Find out what kind of exchange it starts: what rollout, client, upstream and conversation make of its tools.
  const kind = request.kind === 'unread' ? request : await sortExchange(request, rollout, context);

  // 3. Have the model answer.
  switch (kind.kind) {
    case 'unread':
      tell({ kind: 'left_alone', reason: kind.reason });
      return new ExchangeSender({ exchange, send: context.send, tell }).forwardUnread();
    case 'untouched':
      return kind.sender.forwardOriginal(kind.body, kind.tapped);
    case 'polyfilled':
      return answerPolyfilled(kind, context);
    case 'hosted':
      return answerHosted(kind, context);
    case 'planned':
      return converse(kind, context);
    case 'without_thinking':
      return sendWithoutThinking(kind);
    default:
      return kind satisfies never;
  }
}
