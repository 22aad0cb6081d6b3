import { contentDecoder, decodeStream } from '@winnow/service';
import {
  BudgetExceeded,
  EventReader,
  eventText,
  type Framing,
  type HiddenNames,
  isReadable,
  MalformedFrames,
  NameScan,
  type ResponseJoiner,
  type RoundEnd,
  type RoundFailure,
  type WireEvent,
} from '@winnow/wire';
import type { MemoryHold } from '../sessions/request-memory.ts';
import type { ClientSignal } from '../upstream/client.ts';
import { headerValue } from '../upstream/headers.ts';
import { isTransportError } from '../upstream/proxy-error.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { UpstreamBody } from '../upstream/upstream-body.ts';
import type { ClientResponse } from './client-response.ts';
import type { SearchLoop } from './loop-progress.ts';

/** One round's response on its way to the client. */
interface RoundResponse {
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

export const HELD_TOO_MUCH: RoundFailure = {
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
  let isSilent = true;
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
    isSilent = false;
  }
  room.forgetRaw();
  // A decoder still reads an encoded body; only an unencoded body can be drained here.
  if (decoder === 'identity') letGoSoon(body, every);
  else body.destroy();
  const end = joiner.endRound();
  if (end.kind === 'failed') {
    return { ...end, isSilent: isSilent && end.isSilent !== false && end.reason === 'truncated' };
  }
  return end.turn.searches.length > MAX_SEARCHES ? TOO_MANY_SEARCHES : end;
}

/** The cost of an event in addition to its text, in characters: both take some ten microseconds. */
const EVENT_CHARS = 2_000;

/** Work between two turns of the event loop, in characters: a few milliseconds. */
const SLICE_CHARS = 1024 * 1024;

/**
 * Relays the events up to the terminal one of their round; returns whether all of them could be read.
 *
 * Nearly every piece has one event, so there is one wait for each piece, and another only if the client lags behind.
 */
async function relayEvents(
  pieces: AsyncIterator<Uint8Array>,
  round: RoundResponse,
  room: ResponseRoom,
): Promise<boolean> {
  const { joiner } = round;
  const reader = new EventReader(round.framing);
  const relay = new EventRelay(round, room);
  try {
    while (!joiner.isRoundOver) {
      const { done, value: piece } = await pieces.next();
      // The iterator stays open, for a reader that passes the rest on.
      if (!done && !room.take(piece)) return false;
      for (const event of done ? reader.end() : reader.read(piece)) {
        const pending = relay.pass(event);
        if (pending !== undefined) await pending;
        if (!relay.isReadable) return false;
        // Bytes after the terminal event are ignored, even in the same piece: another message there is not
        // joined.
        if (joiner.isRoundOver) return true;
      }
      if (done) return true;
    }
    return true;
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    return false;
  }
}

/** Passes the events of one round through the joiner to the client. */
class EventRelay {
  /** Whether all events could be read so far. */
  isReadable = true;
  readonly #round: RoundResponse;
  readonly #room: ResponseRoom;
  #work = 0;

  constructor(round: RoundResponse, room: ResponseRoom) {
    this.#round = round;
    this.#room = room;
  }

  /** Passes an event; returns a promise if more must wait: for the client, or for other work. */
  pass(event: WireEvent): Promise<void> | undefined {
    const text = eventText(event);
    // A piece can have thousands of events, and more pieces may be waiting.
    this.#work += EVENT_CHARS + text.length;
    if (this.#work <= SLICE_CHARS) return this.#pass(event, text);
    this.#work = 0;
    return this.#round.pause().then(() => this.#pass(event, text));
  }

  #pass(event: WireEvent, text: string): Promise<void> | undefined {
    const { joiner, client, framing } = this.#round;
    if (!isReadable(text)) {
      this.isReadable = client.hasStarted && !this.#room.names(text);
      return this.isReadable ? client.write([event], true) : undefined;
    }
    const events = joiner.feed(event);
    if (joiner.amendedStart !== undefined && !client.hasStarted) client.amendStart(joiner.amendedStart);
    const pending = events.length > 0 ? client.write(events, joiner.hasShown) : undefined;
    if (client.hasStarted) this.#room.forgetRaw();
    if (framing.isStream) this.#room.read();
    return pending;
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

/** Limits of reading one response. */
interface ResponseRoomOptions {
  readonly hold: MemoryHold;
  /**
   * Maximum number of decoded bytes of a unit that is read as a whole; also the limit for the raw bytes that
   * are kept.
   */
  readonly limitBytes: number;
  /** Whether the response is a stream of events. */
  readonly shape: 'whole' | 'stream';
  /** Names that the client must not see. */
  readonly hidden: HiddenNames;
  /** Whether the response may go to the client as received, as nothing else has been sent. */
  readonly mayPassUnread: boolean;
}

/**
 * Memory per byte until it is read: its text, its values, and its rewritten form. Events of streams are
 * short-lived.
 */
const FACTORS = { whole: 4, stream: 1 } as const;
/** Approximate memory per piece in addition to its bytes. */
const PIECE_BYTES = 256;
/**
 * Multiple of the readable bytes that is scanned for hidden names. A higher compression ratio is an attack.
 */
const SCAN_FACTOR = 4;

/**
 * The memory of one response while it is read. Memory is reserved before unread bytes are held, and returned
 * after they are read.
 *
 * As long as the client has received nothing, the raw bytes are also kept and scanned for hidden names: if
 * reading needs too much memory, the client can be given those.
 */
class ResponseRoom {
  readonly #options: ResponseRoomOptions;
  readonly #scans: readonly NameScan[];
  #scannedBytes = 0;
  /** Raw bytes as received; undefined if they are not, or no longer, kept. */
  #raw: Buffer[] | undefined;
  #rawBytes = 0;
  #rawTaken = 0;
  /** Decoded bytes not yet read as events, and the memory reserved for them. */
  #pendingBytes = 0;
  #pendingTaken = 0;

  constructor(options: ResponseRoomOptions) {
    this.#options = options;
    this.#scans = options.hidden.all.map((name) => new NameScan(name));
    this.#raw = options.mayPassUnread ? [] : undefined;
  }

  /** Records a raw piece. */
  see(piece: Buffer): void {
    if (this.#raw === undefined) return;
    const bytes = piece.length + PIECE_BYTES;
    this.#rawBytes += piece.length;
    if (this.#rawBytes > this.#options.limitBytes || !this.#options.hold.take(bytes)) {
      this.forgetRaw();
      return;
    }
    this.#rawTaken += bytes;
    this.#raw.push(piece);
  }

  /** Discards the raw bytes: the client gets something else. */
  forgetRaw(): void {
    this.#raw = undefined;
    this.#options.hold.give(this.#rawTaken);
    this.#rawTaken = 0;
  }

  /**
   * Reserves memory for the next decoded piece; returns false if none is left or the current event is too
   * long.
   */
  take(piece: Uint8Array): boolean {
    if (this.#raw !== undefined) this.scan(piece);
    this.#pendingBytes += piece.length;
    const bytes = FACTORS[this.#options.shape] * piece.length;
    if (this.#pendingBytes > this.#options.limitBytes || !this.#options.hold.take(bytes)) return false;
    this.#pendingTaken += bytes;
    return true;
  }

  /**
   * Reports that all events of the pieces so far were read; part of the last piece may belong to the next
   * event.
   */
  read(): void {
    this.#pendingBytes = 0;
    this.#options.hold.give(this.#pendingTaken);
    this.#pendingTaken = 0;
  }

  /** Releases everything; no further event is read. */
  giveUp(): void {
    this.forgetRaw();
    this.read();
  }

  /** Scans a piece that is not read; returns false if continuing is pointless. */
  scan(piece: Uint8Array): boolean {
    for (const scan of this.#scans) scan.push(piece);
    this.#scannedBytes += piece.length;
    return this.#canPass && this.#scannedBytes <= SCAN_FACTOR * this.#options.limitBytes;
  }

  /** Whether a text names a hidden tool. */
  names(text: string): boolean {
    return this.#options.hidden.all.some((name) => {
      const scan = new NameScan(name);
      scan.push(Buffer.from(text));
      return scan.isFound;
    });
  }

  /** The raw bytes after a complete scan; undefined if the client must not have them. */
  get unread(): readonly Buffer[] | undefined {
    return this.#canPass ? this.#raw : undefined;
  }

  get #canPass(): boolean {
    return this.#raw !== undefined && !this.#scans.some(({ isFound }) => isFound);
  }
}
