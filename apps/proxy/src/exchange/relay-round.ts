import { contentDecoder, decodeStream } from '@winnow/service';
import {
  BudgetExceeded,
  eventText,
  type Framing,
  isReadable,
  MalformedFrames,
  type ResponseJoiner,
  type RoundEnd,
  type RoundFailure,
  readEvents,
} from '@winnow/wire';
import type { ClientSignal } from '../http/client-signal.ts';
import { headerValue } from '../http/headers.ts';
import { isTransportError } from '../http/is-transport-error.ts';
import type { UpstreamBody } from '../http/upstream-body.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { ClientResponse } from './client-response.ts';
import type { SearchLoop } from './loop-input.ts';
import { ResponseRoom, type ResponseRoomOptions } from './response-room.ts';

/** One round's response on its way to the client. */
export interface RoundResponse {
  readonly response: UpstreamResponse;
  readonly framing: Framing;
  readonly joiner: ResponseJoiner;
  readonly client: ClientResponse;
  /** Aborts when the client leaves. */
  readonly signal: ClientSignal;
  readonly every: SearchLoop['every'];
  readonly pause: SearchLoop['pause'];
  readonly room: ResponseRoomOptions;
}

/**
 * A response that is too large to read and does not name the search tool, so the client can have it as
 * received.
 */
export interface RoundUnread {
  readonly kind: 'unread';
  readonly response: UpstreamResponse;
  readonly pieces: readonly Buffer[];
}

const HELD_TOO_MUCH: RoundFailure = {
  kind: 'failed',
  reason: 'held_too_much',
  message: 'The response is too long to complete.',
};

const TOO_MANY_SEARCHES: RoundFailure = {
  kind: 'failed',
  reason: 'held_too_much',
  message: 'The response has too many calls to answer.',
};

/** The most searches of one response: far more than models send, and each needs a result. */
const MAX_SEARCHES = 1_000;

const UNKNOWN_ENCODING: RoundFailure = {
  kind: 'failed',
  reason: 'malformed_answer',
  message: 'The upstream used an unknown content encoding.',
};

const MALFORMED_FRAMES: RoundFailure = {
  kind: 'failed',
  reason: 'malformed_answer',
  message: 'The upstream sent a stream whose frames cannot be read.',
};

/**
 * Feeds one round's response through the joiner to the client, event by event; returns how the round ended.
 *
 * Reads the next event only when the client is ready for it. Rejects when the client leaves; if the upstream
 * breaks off, the round has failed.
 */
export async function relayRound(round: RoundResponse): Promise<RoundEnd | RoundUnread> {
  const { response, joiner, signal, every } = round;
  const { headers, body } = response;
  const encoding = headerValue(headers, 'content-encoding');
  const decoder = contentDecoder(encoding);
  const room = new ResponseRoom(round.room);
  // The decoder's memory stays reserved until the exchange ends: few upstreams encode a response against the
  // request.
  const hasRoom =
    decoder === 'identity' || decoder === undefined || round.room.hold.take(decoder.memoryBytes);
  if (decoder === undefined || !hasRoom) {
    body.destroy();
    return decoder === undefined ? UNKNOWN_ENCODING : HELD_TOO_MUCH;
  }
  if (round.room.mayPassUnread) body.tap((piece) => room.see(piece));
  const decoded = decodeStream(body, encoding)!;
  const pieces = decoded[Symbol.asyncIterator]();
  try {
    const isRead = await relayEvents(pieces, round, room);
    if (!isRead) {
      const unread = await readOn(pieces, room);
      body.destroy();
      room.giveUp();
      // A heartbeat may have sent the head of a rewritten response in the meantime.
      return unread === undefined || round.client.hasStarted
        ? HELD_TOO_MUCH
        : { kind: 'unread', response, pieces: unread };
    }
  } catch (error) {
    if (error instanceof MalformedFrames) {
      body.destroy();
      room.giveUp();
      return MALFORMED_FRAMES;
    }
    if (signal.aborted || !isTransportError(error)) throw error;
    // The bytes ended early; the joiner knows how much of the response had arrived.
  }
  room.forgetRaw();
  // A decoder still reads an encoded body; only an unencoded body can be drained here.
  if (decoder === 'identity') letGoSoon(body, every);
  else body.destroy();
  const end = joiner.endRound();
  return end.kind !== 'failed' && end.turn.searches.length > MAX_SEARCHES ? TOO_MANY_SEARCHES : end;
}

/** The cost of an event in addition to its text, in characters: both take some ten microseconds. */
const EVENT_CHARS = 2_000;

/** Work between two turns of the event loop, in characters: a few milliseconds. */
const SLICE_CHARS = 1024 * 1024;

/** Relays the events; returns whether all of them could be read. */
async function relayEvents(
  pieces: AsyncIterator<Uint8Array>,
  { framing, joiner, client, pause }: RoundResponse,
  room: ResponseRoom,
): Promise<boolean> {
  let work = 0;
  try {
    for await (const event of readEvents(untilOver(pieces, joiner, room), framing)) {
      // A piece can have thousands of events, and more pieces may be waiting.
      work += EVENT_CHARS + eventText(event).length;
      if (work > SLICE_CHARS) {
        work = 0;
        await pause();
      }
      if (!isReadable(eventText(event))) {
        if (!client.hasStarted || room.names(eventText(event))) return false;
        await client.write([event], true);
        continue;
      }
      const events = joiner.feed(event);
      if (joiner.amendedStart !== undefined && !client.hasStarted) client.amendStart(joiner.amendedStart);
      if (events.length > 0) await client.write(events, joiner.hasShown);
      if (client.hasStarted) room.forgetRaw();
      if (framing.isStream) room.read();
      // Bytes after the terminal event are ignored, even in the same piece: another message there is not
      // joined.
      if (joiner.isRoundOver) break;
    }
    return true;
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    return false;
  }
}

/**
 * Yields the body up to the piece with the terminal event of its round.
 *
 * @throws BudgetExceeded if there is no memory for the next piece. The iterator stays open, and has yielded
 * that piece.
 */
async function* untilOver(
  pieces: AsyncIterator<Uint8Array>,
  joiner: ResponseJoiner,
  room: ResponseRoom,
): AsyncGenerator<Uint8Array, void, undefined> {
  while (!joiner.isRoundOver) {
    const next = await pieces.next();
    if (next.done) return;
    if (!room.take(next.value)) throw new BudgetExceeded('memory');
    yield next.value;
  }
}

/** Scans the rest of an unread body; returns all pieces if the client may have them, or undefined. */
async function readOn(
  pieces: AsyncIterator<Uint8Array>,
  room: ResponseRoom,
): Promise<readonly Buffer[] | undefined> {
  room.read();
  while (room.unread !== undefined) {
    const next = await pieces.next();
    if (next.done) return room.unread;
    if (!room.scan(next.value)) return undefined;
  }
  return undefined;
}

/** Maximum number of bytes to drain after the terminal event: the end of a chunk or of an encoding. */
const MOST_TRAILING_BYTES = 64 * 1024;

/**
 * Time limit for draining a response after its terminal event, in milliseconds. The connection can then be
 * reused.
 */
const TRAILING_MS = 1_000;

/** Drains a body to its end, and closes the connection if the end is too far away. */
function letGoSoon(body: UpstreamBody, every: SearchLoop['every']): void {
  if (body.end) return;
  let bytes = 0;
  const readOn = () => {
    for (let piece = body.take(); piece !== undefined; piece = body.take()) bytes += piece.length;
    if (bytes > MOST_TRAILING_BYTES) body.destroy();
  };
  body.onMore(readOn);
  readOn();
  if (body.end) return;
  const stop = every(TRAILING_MS, () => body.destroy());
  body.onOver(stop);
}
