import type { Candidates } from '../config/profiles.ts';
import type { RequestMemory } from '../sessions/request-memory.ts';
import type { Policy } from '../strategies/policy.ts';
import { answerHosted, answerPolyfilled, type HostedContext } from './answer-deferring.ts';
import { type ConverseContext, converse, sendWithoutThinking } from './converse.ts';
import type { Ending, ExchangeEffects, FormatExchange } from './exchange.ts';
import { ExchangeSender } from './exchange-sender.ts';
import { sendLeftAlone } from './fall-back.ts';
import { forwardObserved, type ObserveContext } from './observe-exchange.ts';
import {
  type BegunExchange,
  type ReceiveContext,
  receiveRequest,
  type UnreadRequest,
} from './receive-request.ts';
import { type ReportContext, reportExchange, tellProfile } from './report-exchange.ts';
import { type RolloutDecision, type SortContext, sortExchange } from './sort-exchange.ts';

/** Context that exchanges share: the union of what their steps need. */
export interface ExchangeContext
  extends ReceiveContext,
    SortContext,
    ConverseContext,
    HostedContext,
    ObserveContext,
    ReportContext,
    Policy {
  readonly memory: RequestMemory;
  readonly effects: ExchangeEffects;
}

/**
 * Answers one request in a supported format, and reports it once. Its model chooses between the contexts.
 *
 * Without a decision, `rollout` depends on the session or the model. Rejects with the error for the response, or when the
 * client has left.
 */
export async function handleExchange(
  exchange: FormatExchange,
  candidates: Candidates<ExchangeContext>,
  rollout: RolloutDecision | undefined,
): Promise<void> {
  const context = candidates.choose(undefined);
  const hold = context.memory.open(shareOf(exchange));
  try {
    await reportExchange(exchange, context, (tell) =>
      answerExchange({ exchange, hold, tell, isObserved: isObserved(rollout) }, candidates, rollout),
    );
  } finally {
    hold.release();
  }
}

/**
 * Returns whose share of the memory a request takes: its checked credential's, or else its address'. A client
 * could invent another credential for each request.
 */
export function shareOf({
  sender,
  identity,
}: Pick<FormatExchange, 'sender'> & { readonly identity: { readonly address: string } }): string {
  return sender === undefined ? `address ${identity.address}` : `credential ${sender}`;
}

/**
 * Runs the steps of one exchange.
 *
 * A step takes its input and returns its findings. Events on the way are recorded as facts, from which the
 * record is folded at the end. If the proxy fails before the client has received anything, the original bytes
 * are sent.
 */
async function answerExchange(
  begun: BegunExchange,
  candidates: Candidates<ExchangeContext>,
  rollout: RolloutDecision | undefined,
): Promise<Ending> {
  const { exchange, tell } = begun;
  if (rollout) tell({ kind: 'decided', ...rollout });

  // 1. Receive the request, and read its relevant parts: model, tools, history, choices.
  const request = await receiveRequest(begun, candidates.choose(undefined));
  const context = candidates.choose(request.kind === 'unread' ? undefined : request.reading.view?.model);
  if (candidates.isSettled || request.kind !== 'unread') tellProfile(context, tell);

  // 2. Determine the kind of exchange from rollout, client, upstream and conversation.
  const sorted = request.kind === 'unread' ? request : sortExchange(request, rollout, context);
  const kind = sorted instanceof Promise ? await sorted : sorted;

  // 3. Have the model answer.
  switch (kind.kind) {
    case 'unread':
      leaveUnread(begun, kind.reason);
      return new ExchangeSender({ exchange, send: context.send, tell }).forwardUnread();
    case 'untouched':
      return sendLeftAlone(kind);
    case 'observed':
      return forwardObserved(kind, context);
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

function isObserved(rollout: RolloutDecision | undefined): boolean {
  return rollout?.arm === 'dark' || rollout?.arm === 'shadow';
}

/** Tells why a request is forwarded unread; what is only observed is dropped, unless its plan is known all the same. */
function leaveUnread({ isObserved, tell }: BegunExchange, reason: UnreadRequest['reason']): void {
  const isDropped = isObserved && reason === 'short_of_memory';
  tell({ kind: 'left_alone', reason: isDropped ? 'not_read' : reason });
  const status = isDropped ? 'dropped' : 'not_applicable';
  if (isObserved) tell({ kind: 'observed', observation: { status } });
}
