import {
  eventText,
  type FrameEncoder,
  type Frames,
  type Framing,
  type Keep,
  type StreamEvent,
  type WireEvent,
} from '@winnow/wire';
import type { ClientSignal, ResponsePlace } from '../upstream/client.ts';
import { headerValue, mergeHeaders, toClientHeaders } from '../upstream/headers.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { HeadWriter, IncomingExchange } from './exchange.ts';

/** The head of an upstream's response. */
type ResponseHead = Pick<UpstreamResponse, 'status' | 'headers'>;

/** A position in a response. */
export interface ResponseMark {
  readonly held: number;
  readonly given: number;
}

/**
 * Maximum number of characters to hold back before visible content without a reservation: streams start
 * small, and heartbeats add up.
 */
const FREE_HELD_CHARS = 64 * 1024;
/**
 * Maximum number of characters to hold back with reserved memory: some streams start by repeating all tools
 * of the request twice.
 */
const MAX_HELD_CHARS = 2 * 1024 * 1024;

/**
 * The response to the client, written piece by piece.
 *
 * The head and the start of a stream are held back until visible content follows or the client has waited
 * long enough to need a sign of life. Until then everything can be taken back.
 */
export class ClientResponse {
  readonly #place: ResponsePlace;
  readonly #headWriter: HeadWriter;
  readonly #signal: ClientSignal;
  #first: ResponseHead | undefined;
  #last: ResponseHead | undefined;
  #encoder: FrameEncoder | undefined;
  /** Events that the client has not received yet. */
  readonly #held: WireEvent[] = [];
  #heldChars = 0;
  readonly #keep: Keep;
  #mayHold = true;
  /** Number of times that events of the upstream were sent to the client. */
  #given = 0;

  /** @param keep reserves memory for held events beyond 64 Ki characters; by default there is none. */
  constructor(
    { response, head, signal }: Pick<IncomingExchange, 'response' | 'head' | 'signal'>,
    keep: Keep = () => false,
  ) {
    this.#keep = keep;
    this.#place = response;
    this.#headWriter = head;
    this.#signal = signal;
  }

  /** Whether the client has received anything. */
  get hasStarted(): boolean {
    return this.#place.hasStarted;
  }

  /** Records the head of a round's response. The client reads all rounds in the framing of the first. */
  takeHead(head: ResponseHead, framing: Framing): void {
    this.#first ??= head;
    this.#last = head;
    this.#encoder ??= framing.createEncoder();
  }

  /**
   * Writes events at once if they or earlier events are visible; holds them otherwise. Returns a promise if the
   * client lags behind, which resolves when it is ready for more, and rejects if it leaves first.
   */
  write(events: readonly WireEvent[], isShown: boolean): Promise<void> | undefined {
    if (!isShown && this.#given === 0 && this.#hold(events)) return undefined;
    this.#given++;
    const frames = this.#encoder!.encode(this.#release(events));
    if (frames.length === 0) return undefined;
    if (!this.hasStarted) this.#writeHead(this.#first!.status, this.#first!, undefined);
    return this.#place.write(frames) ? undefined : this.#drained();
  }

  /** Replaces a held start event of the same name; does nothing if the client has already received it. */
  amendStart(start: StreamEvent): void {
    const at = this.#held.findIndex((event) => event.kind === 'event' && event.name === start.name);
    if (at >= 0) this.#held[at] = start;
  }

  /** Returns the current position, for `takeBack`. */
  mark(): ResponseMark {
    return { held: this.#held.length, given: this.#given };
  }

  /** Whether the client has received something since a mark. */
  hasGivenSince({ given }: ResponseMark): boolean {
    return this.#given !== given;
  }

  /**
   * Discards everything written since a mark; returns false if the client has already received some of it.
   */
  takeBack(mark: ResponseMark): boolean {
    if (this.hasGivenSince(mark)) return false;
    const { held } = mark;
    this.#held.length = held;
    this.#heldChars = charsOf(this.#held);
    return true;
  }

  /**
   * Keeps the connection alive, and sends the head and, unless `mayBegin` is false, all held events. Does
   * nothing before there is a head, after the end, or while the client is not reading.
   */
  beat(event: WireEvent | undefined, mayBegin: boolean): void {
    if (mayBegin) this.#mayHold = false;
    const { isEnded, isFull } = this.#place;
    if (this.#first === undefined || isEnded || isFull) return;
    const sign = event === undefined ? [] : [event];
    const frames = this.#encoder!.encode(mayBegin ? this.#release(sign) : sign);
    if (!this.hasStarted) this.#writeHead(this.#first.status, this.#first, undefined);
    if (frames.length > 0) this.#place.write(frames);
    else this.#place.flushHead();
  }

  #hold(events: readonly WireEvent[]): boolean {
    const chars = charsOf(events);
    const all = this.#heldChars + chars;
    if (!this.#mayHold || all > MAX_HELD_CHARS) return false;
    if (all > FREE_HELD_CHARS && !this.#keep(chars)) return false;
    this.#heldChars = all;
    this.#held.push(...events);
    return true;
  }

  #release(events: readonly WireEvent[]): readonly WireEvent[] {
    if (this.#held.length === 0) return events;
    this.#given++;
    return [...this.#held.splice(0), ...events];
  }

  /**
   * Writes the rest and ends the response; resolves when it is handed over to the system. Rejects if the
   * client left first.
   */
  async end(rest: readonly WireEvent[]): Promise<void> {
    const encoder = this.#encoder!;
    await this.#end(Buffer.concat([toBytes(encoder.encode(this.#release(rest))), toBytes(encoder.end())]));
  }

  async #end(text: Buffer): Promise<void> {
    // A closed response emits no further event: waiting for one would never end.
    this.#signal.throwIfAborted();
    if (!this.hasStarted) {
      const head = mergeHeaders(this.#first!.headers, this.#last!.headers);
      this.#writeHead(this.#last!.status, { headers: head }, text.length);
    }
    await this.#close(text);
  }

  async #close(text: Frames): Promise<void> {
    if (this.#place.isEnded) return;
    await new Promise<void>((resolve) => this.#place.end(text, resolve));
  }

  /** Passes a complete response on as received; the client must not have received anything yet. */
  async passUnread({ status, headers }: ResponseHead, pieces: readonly Buffer[]): Promise<void> {
    this.#signal.throwIfAborted();
    this.#held.length = 0;
    this.#headWriter.write(status, toClientHeaders(headers, 'untouched'));
    for (const piece of pieces) if (!this.#place.write(piece)) await this.#drained();
    await this.#close('');
  }

  /**
   * Ends the response with an error of the proxy: as events of the running stream, or in place of a response
   * that is not a stream.
   */
  async fail(events: readonly WireEvent[], isInStream: boolean): Promise<void> {
    if (isInStream) return this.end(events);
    this.#first = { status: BAD_GATEWAY, headers: ['content-type', 'application/json'] };
    this.#last = this.#first;
    await this.#end(Buffer.from(events.map(eventText).join('')));
  }

  #drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaving = { onLeave: reject };
      this.#place.onRoom(() => {
        this.#signal.remove(leaving);
        resolve();
      });
      this.#signal.add(leaving);
    });
  }

  #writeHead(status: number, { headers }: Pick<ResponseHead, 'headers'>, length: number | undefined): void {
    const own = toClientHeaders(headers, 'rewritten');
    if (length !== undefined) own.push('content-length', String(length));
    else own.push(...missing(own, UNBUFFERED));
    this.#headWriter.write(status, own);
  }
}

const BAD_GATEWAY = 502;

function toBytes(frames: Frames): Buffer {
  return Buffer.from(frames as string);
}

/** Headers that keep caches and reverse proxies from buffering a stream. */
const UNBUFFERED = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

function missing(headers: readonly string[], wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries(wanted).flatMap((entry) =>
    headerValue(headers, entry[0]) === undefined ? entry : [],
  );
}

/** Memory of a held event in addition to its text, in characters. */
const EVENT_CHARS = 100;

function charsOf(events: readonly WireEvent[]): number {
  return events.reduce((sum, event) => sum + EVENT_CHARS + heldChars(event), 0);
}

/** A comment without text can stand for thousands of blank lines. */
function heldChars(event: WireEvent): number {
  const source = event.kind === 'whole' ? undefined : event.source;
  return Math.max(eventText(event).length, source?.text.length ?? 0, source?.bytes?.length ?? 0);
}
