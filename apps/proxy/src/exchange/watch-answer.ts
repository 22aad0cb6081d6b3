import { type AnswerJoiner, OverlongEvent, type RoundEnd, readEvents } from '@winnow/wire';
import type { ClientAnswer } from '../client/client-answer.ts';
import { decodeStream } from '../upstream/decode-body.ts';
import { isTransportError } from '../upstream/is-transport-error.ts';
import { headerValue } from '../upstream/request-headers.ts';
import type { UpstreamResponse } from '../upstream/upstream-client.ts';

/** One round's answer on its way to the client. */
export interface WatchedAnswer {
  readonly response: UpstreamResponse;
  readonly joiner: AnswerJoiner;
  readonly answer: ClientAnswer;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/**
 * Feeds one round's answer through the joiner to the client, event by event, and gives how the round ended.
 *
 * The next event is read only when the client has room for it. Rejects when the client leaves; an upstream that breaks off is a
 * round that failed.
 */
export async function watchAnswer({ response, joiner, answer, signal }: WatchedAnswer): Promise<RoundEnd> {
  const { headers, body } = response;
  const decoded = decodeStream(body, headerValue(headers, 'content-encoding'));
  if (!decoded) {
    body.destroy();
    return {
      kind: 'failed',
      reason: 'malformed_answer',
      message: 'The upstream answered in an unknown encoding.',
    };
  }
  try {
    for await (const event of readEvents(decoded, headerValue(headers, 'content-type'))) {
      const text = joiner.feed(event);
      if (text !== '') await answer.write(text);
    }
  } catch (error) {
    if (error instanceof OverlongEvent) {
      return { kind: 'failed', reason: 'held_too_much', message: 'The answer is too long to be completed.' };
    }
    if (signal.aborted || !isTransportError(error)) throw error;
    // The bytes ended early; how much of the answer was there, the joiner knows.
  }
  return joiner.endRound();
}
