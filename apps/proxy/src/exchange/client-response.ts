import type { FrameEncoder, Frames, Framing, Keep, StreamEvent, WireEvent } from '@winnow/wire';
import type { ClientSignal } from '../http/client-signal.ts';
import { headerValue } from '../http/headers.ts';
import { mergeHeaders, toClientHeaders } from '../http/response-headers.ts';
import type { ResponsePlace } from '../http/response-place.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { HeadWriter } from './head-writer.ts';
import type { IncomingExchange } from './incoming-exchange.ts';

/** The head of an upstream's response. */
export type ResponseHead = Pick<UpstreamResponse, 'status' | 'headers'>;

/** A place in a response. */
export interface ResponseMark {
  readonly held: number;
  readonly given: number;
}

/** Characters that may be held back before something shows: starts of streams are small, and heartbeats add up. */
const FREE_HELD_CHARS = 64 * 1024;
/** The same where there is memory for it: some starts repeat all tools of the request, twice. */
const MAX_HELD_CHARS = 2 * 1024 * 1024;

/**
 * The one response that the client gets, written piece by piece.
 *
 * Its head, and the start of a stream, are held back until something shows behind them, or the client has waited for so long that it must hear
 * something: until then everything can still be taken back.
 */
export class ClientResponse {
  readonly #place: ResponsePlace;
  readonly #headWriter: HeadWriter;
  readonly #signal: ClientSignal;
  #first: ResponseHead | undefined;
  #last: ResponseHead | undefined;
  #encoder: FrameEncoder | undefined;
  /** Events that the client has not seen yet. */
  readonly #held: WireEvent[] = [];
  #heldChars = 0;
  readonly #keep: Keep;
  #mayHold = true;
  /** Number of times that the client was given events of the upstream's. */
  #given = 0;

  /** @param keep takes memory for what is held beyond 64 Ki characters; without it there is none. */
  constructor(
    { response, head, signal }: Pick<IncomingExchange, 'response' | 'head' | 'signal'>,
    keep: Keep = () => false,
  ) {
    this.#keep = keep;
    this.#place = response;
    this.#headWriter = head;
    this.#signal = signal;
  }

  /** Whether the client has seen anything. */
  get hasStarted(): boolean {
    return this.#place.hasStarted;
  }

  /** Takes the head of a round's response. The client reads all rounds in the framing of the first. */
  takeHead(head: ResponseHead, framing: Framing): void {
    this.#first ??= head;
    this.#last = head;
    this.#encoder ??= framing.createEncoder();
  }

  /**
   * Writes events at once where they, or others before them, show; else they are held. Resolves when the client has room for more, and rejects
   * when it leaves before.
   */
  async write(events: readonly WireEvent[], isShown: boolean): Promise<void> {
    if (!isShown && !this.hasStarted && this.#hold(events)) return;
    this.#given++;
    const frames = this.#encoder!.encode(this.#release(events));
    if (frames.length === 0) return;
    if (!this.hasStarted) this.#writeHead(this.#first!.status, this.#first!, undefined);
    if (!this.#place.write(frames)) await this.#drained();
  }

  /** Puts another start in the place of the one of the same name that is held; nothing once the client has got that. */
  amendStart(start: StreamEvent): void {
    const at = this.#held.findIndex((event) => event.kind === 'event' && event.name === start.name);
    if (at >= 0) this.#held[at] = start;
  }

  /** A place in what is held, to be taken back to. */
  mark(): ResponseMark {
    return { held: this.#held.length, given: this.#given };
  }

  /** Forgets what was written since; false when the client has got something of it, so that it cannot be. */
  takeBack({ held, given }: ResponseMark): boolean {
    if (this.#given !== given) return false;
    this.#held.length = held;
    this.#heldChars = charsOf(this.#held);
    return true;
  }

  /**
   * Says that the line is alive, from now on with the head and whatever was held; nothing before there is a head, when the response is over,
   * or to a client that does not read as it is.
   */
  beat(event: WireEvent | undefined): void {
    this.#mayHold = false;
    const { isEnded, isFull } = this.#place;
    if (this.#first === undefined || isEnded || isFull) return;
    const frames = this.#encoder!.encode(this.#release(event === undefined ? [] : [event]));
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

  /** Writes the rest and ends the response; resolves when it is handed over to the system. Rejects when the client has left before. */
  async end(rest: readonly WireEvent[]): Promise<void> {
    const encoder = this.#encoder!;
    await this.#end(Buffer.concat([toBytes(encoder.encode(this.#release(rest))), toBytes(encoder.end())]));
  }

  async #end(text: Buffer): Promise<void> {
    // A response that is closed already does not tell so again: waiting for it would never end.
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

  /** Passes a response on as it came, all of which is there; nothing of it, or of another, has gone to the client. */
  async passUnread({ status, headers }: ResponseHead, pieces: readonly Buffer[]): Promise<void> {
    this.#signal.throwIfAborted();
    this.#held.length = 0;
    this.#headWriter.write(status, toClientHeaders(headers, 'untouched'));
    for (const piece of pieces) if (!this.#place.write(piece)) await this.#drained();
    await this.#close('');
  }

  /** Ends the response with an error of the proxy's own making: in the stream that it is, or instead of a response in one piece. */
  async fail(events: readonly WireEvent[], isInStream: boolean): Promise<void> {
    if (isInStream) return this.end(events);
    this.#first = { status: BAD_GATEWAY, headers: ['content-type', 'application/json'] };
    this.#last = this.#first;
    await this.#end(Buffer.from(events.map(textOf).join('')));
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
    this.#headWriter.write(status, own, length === undefined ? 'any-round' : 'last-round');
  }
}

const BAD_GATEWAY = 502;

/** The text of an event. */
export function textOf(event: WireEvent): string {
  return event.kind === 'event' ? event.data : event.text;
}

function toBytes(frames: Frames): Buffer {
  return Buffer.from(frames as string);
}

/** Headers that keep caches and reverse proxies from holding a stream back. */
const UNBUFFERED = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

function missing(headers: readonly string[], wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries(wanted).flatMap((entry) =>
    headerValue(headers, entry[0]) === undefined ? entry : [],
  );
}

function charsOf(events: readonly WireEvent[]): number {
  return events.reduce((sum, event) => sum + textOf(event).length, 0);
}
