import { BodyBytes } from '@winnow/wire';
import { type RequestOutcome, readExchange } from '../reading/read-exchange.ts';
import type { Tell } from '../records/exchange-fact.ts';
import { modelName } from '../records/request-facts.ts';
import type { Conversation } from '../sessions/client-identity.ts';
import type { KnownResponse } from '../sessions/notes.ts';
import type { MemoryHold, RequestMemory } from '../sessions/request-memory.ts';
import { clientAddress } from '../upstream/choose-upstream.ts';
import type { BodyReader, ClientRequest, RequestBody, StopReading } from '../upstream/client.ts';
import { ProxyError } from '../upstream/proxy-error.ts';
import type { SendUpstream } from '../upstream/send-upstream.ts';
import type { ExchangeEffects, FormatExchange } from './exchange.ts';
import { ExchangeSender } from './exchange-sender.ts';
import { type FindContext, findPrevious, originalAfter } from './stored-responses.ts';

/** An exchange whose request is yet to be received. */
export interface BegunExchange {
  readonly exchange: FormatExchange;
  readonly tell: Tell;
  /** Whether the request is sent unchanged in any case: one that cannot be read is then never refused. */
  readonly isObserved: boolean;
  /** The exchange's hold on the shared memory. */
  readonly hold: MemoryHold;
}

/** A request that is forwarded as it arrives. */
export interface UnreadRequest {
  readonly kind: 'unread';
  /** The client has signed it for the upstream itself, or there is no memory for its body. */
  readonly reason: 'signed_request' | 'short_of_memory';
}

/** A request that can be sent, in its original or edited form. */
export interface SendableRequest extends Omit<BegunExchange, 'isObserved'> {
  /** The body as the provider must receive it if nothing else is edited. */
  readonly body: BodyBytes;
  readonly sender: ExchangeSender;
}

/** A request whose body has arrived. */
export interface ReceivedRequest extends SendableRequest {
  readonly kind: 'received';
  /** The body as received. */
  readonly received: BodyBytes;
  /** Whether handling the body takes long enough that other work must run between the steps. */
  readonly isLarge: boolean;
  readonly reading: RequestOutcome;
  readonly conversation: Conversation;
  /** The stored response that the request continues from, if the proxy has issued it. */
  readonly known: KnownResponse | undefined;
}

/** Context for receiving. */
export interface ReceiveContext extends FindContext {
  readonly memory: Pick<RequestMemory, 'hasHeap'>;
  /** Aborts request bodies that stop making progress. */
  readonly stalls: StallWatch;
  readonly send: SendUpstream;
  readonly effects: Pick<ExchangeEffects, 'every' | 'pause'>;
  /** Receives errors that are defects. */
  readonly onDefect: (error: unknown) => void;
}

/** Larger bodies are read, recognised and edited in separate turns of the event loop. In bytes. */
const LARGE_BYTES = 512 * 1024;

/**
 * Receives a request, and reads its relevant parts: tools, history, choices.
 *
 * Rejects with the error for the response, or when the client leaves.
 */
export async function receiveRequest(
  begun: BegunExchange,
  context: ReceiveContext,
): Promise<ReceivedRequest | UnreadRequest> {
  const { hold, tell, isObserved } = begun;
  const { settings, stalls, send, effects } = context;
  if (begun.exchange.target.isSealed) return { kind: 'unread', reason: 'signed_request' };
  const limitBytes = settings['server.max_body'];
  const received = await receiveBody(begun.exchange.request, { limitBytes, stalls, hold, isObserved });
  tell({ kind: 'received' });
  if (!received) return { kind: 'unread', reason: 'short_of_memory' };
  const isLarge = received.length > LARGE_BYTES;
  if (isLarge) {
    received.join();
    await effects.pause();
  }
  const receivedBytes = hold.bytes;
  const read = readBody(received, begun, context);
  const reading = read instanceof Promise ? await read : read;
  const { view, format } = reading;
  // Memory reserved for reading is no longer needed.
  if (view === undefined) hold.give(hold.bytes - receivedBytes);
  const exchange = format === begun.exchange.format ? begun.exchange : { ...begun.exchange, format };
  if (isLarge) await effects.pause();
  tell({ kind: 'read', format: format.name, model: modelName(view), isStream: view?.isStream ?? false });
  // The id of the previous response may stand for several: the provider must get the one that it knows.
  const finding = findPrevious(view, exchange, context);
  const known = finding && (await finding);
  const body = originalAfter(received, view, format, known);
  const sender = new ExchangeSender({ exchange, send, tell, isDecoded: body !== received });
  const conversation = exchange.identity.conversationOf(view);
  const kind = 'received';
  return { kind, exchange, tell, hold, received, isLarge, reading, conversation, known, body, sender };
}

function readBody(
  body: BodyBytes,
  { exchange, hold }: BegunExchange,
  { settings, memory, onDefect }: ReceiveContext,
): ReturnType<typeof readExchange> {
  return readExchange(body, {
    format: exchange.format,
    purpose: exchange.purpose,
    address: clientAddress(exchange.target),
    limitBytes: settings['server.max_body'],
    contentEncoding: exchange.request.headers['content-encoding']?.toString(),
    searchToolName: settings['tools.search_tool_name'],
    take: (bytes) => memory.hasHeap && hold.take(bytes),
    onDefect,
  });
}

/** Limits of a body. */
interface BodyRoom {
  /** Maximum size of this body, in bytes. */
  readonly limitBytes: number;
  /** Aborts the body when it stops making progress. */
  readonly stalls: StallWatch;
  /** The body's hold on the shared memory; the caller releases it. */
  readonly hold: MemoryHold;
  /** Whether a body that is too large or too slow is forwarded instead of refused. */
  readonly isObserved: boolean;
}

/**
 * Receives the whole body of a request; resolves with undefined if it is not held, for lack of memory. The body
 * can then be read again from its beginning and forwarded as it arrives; its memory is returned as it goes
 * out.
 *
 * A body may arrive slowly, as inputs are large and connections slow, but it must make progress.
 *
 * Rejects with `body_too_large`, by its declared length or while it arrives; with `request_timeout`; and when
 * the client leaves.
 */
export function receiveBody(
  { headers, body }: Pick<ClientRequest, 'headers' | 'body'>,
  room: BodyRoom,
): Promise<BodyBytes | undefined> {
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > room.limitBytes)
    return room.isObserved ? Promise.resolve(undefined) : Promise.reject(tooLarge(room.limitBytes));
  return new Promise((resolve, reject) => {
    new BodyReceiver(body, room, { resolve, reject }).begin();
  });
}

interface Settle {
  readonly resolve: (body: BodyBytes | undefined) => void;
  readonly reject: (error: Error) => void;
}

class BodyReceiver implements Stallable, BodyReader {
  readonly #body: RequestBody;
  readonly #room: BodyRoom;
  readonly #settle: Settle;
  readonly #watched: Watched;
  #stopReading: StopReading = () => {};
  #pieces: Buffer[] = [];
  #size = 0;
  #isOver = false;

  constructor(body: RequestBody, room: BodyRoom, settle: Settle) {
    this.#body = body;
    this.#room = room;
    this.#settle = settle;
    this.#watched = room.stalls.watch(this);
  }

  begin(): void {
    this.#room.hold.arrives(() => this.#giveBack());
    this.#stopReading = this.#body.readBy(this);
  }

  stalled(idleMs: number): void {
    this.#refuse(tooSlow(idleMs));
  }

  onPiece(piece: Buffer): void {
    const { limitBytes, hold } = this.#room;
    this.#watched.heard();
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#size > limitBytes) this.#refuse(tooLarge(limitBytes));
    else if (!hold.take(piece.length + PIECE_BYTES)) this.#giveBack();
  }

  onEnd(): void {
    this.#isOver = true;
    this.#watched.stop();
    this.#room.hold.arrived();
    this.#settle.resolve(new BodyBytes(this.#pieces));
    this.#pieces = [];
  }

  #refuse(error: ProxyError): void {
    if (this.#room.isObserved) this.#giveBack();
    else this.onError(error);
  }

  #giveBack(): void {
    // Held here, the pieces would stay in memory after they were sent.
    this.#stop(this.#pieces.splice(0));
    let left = this.#size;
    this.#body.tap((piece) => {
      left -= piece.length;
      if (left > 0) this.#room.hold.give(piece.length);
      else this.#room.hold.release();
    });
    this.#settle.resolve(undefined);
  }

  onError(error: Error): void {
    if (this.#isOver) return;
    this.#stop([]);
    this.#settle.reject(error);
  }

  #stop(putBack: readonly Buffer[]): void {
    this.#isOver = true;
    this.#watched.stop();
    this.#room.hold.arrived();
    this.#stopReading(putBack);
  }
}

/** Approximate memory per piece in addition to its bytes; it limits bodies that arrive in single bytes. */
const PIECE_BYTES = 256;

function tooLarge(limitBytes: number): ProxyError {
  return new ProxyError('body_too_large', `The request body is larger than ${limitBytes} bytes.`);
}

function tooSlow(idleMs: number): ProxyError {
  return new ProxyError('request_timeout', `The request body made no progress for ${idleMs} ms.`);
}

/** Work that must keep making progress. */
interface Stallable {
  /** Reports that progress has stopped for the allowed time. Called once. */
  stalled(idleMs: number): void;
}

/** A handle to watched work. */
interface Watched {
  /** Reports progress. */
  heard(): void;
  /** Ends the watch. */
  stop(): void;
}

/** Number of checks per idle period. */
const LOOKS = 4;

/**
 * Watches bodies that may be slow but must make progress. One timer serves all: a timer per body costs more
 * than receiving it.
 *
 * A stalled body is reported after `idleMs`, at most a quarter later.
 */
export class StallWatch {
  readonly #idleMs: number;
  readonly #stopLooking: () => void;
  readonly #entries: Entry[] = [];
  #look = 0;

  /** `every` calls back at an interval in milliseconds until the returned function is called. */
  constructor(idleMs: number, every: (intervalMs: number, callBack: () => void) => () => void) {
    this.#idleMs = idleMs;
    this.#stopLooking = every(idleMs / LOOKS, () => this.#lookAround());
  }

  watch(body: Stallable): Watched {
    const entry = new Entry(this, body, this.#entries.length);
    this.#entries.push(entry);
    return entry;
  }

  /** The number of checks so far. */
  get look(): number {
    return this.#look;
  }

  close(): void {
    this.#stopLooking();
  }

  #lookAround(): void {
    this.#look++;
    const late = this.#entries.filter(({ heardAt }) => this.#look - heardAt > LOOKS);
    for (const entry of late) {
      this.remove(entry);
      entry.body.stalled(this.#idleMs);
    }
  }

  /** Removes an entry; the last entry takes its place. */
  remove(entry: Entry): void {
    if (this.#entries[entry.place] !== entry) return;
    const last = this.#entries.pop()!;
    if (last === entry) return;
    this.#entries[entry.place] = last;
    last.place = entry.place;
  }
}

/** A body that is being watched. */
class Entry implements Watched {
  readonly #watch: StallWatch;
  readonly body: Stallable;
  /** The number of checks before the last progress. */
  heardAt: number;
  place: number;

  constructor(watch: StallWatch, body: Stallable, place: number) {
    this.#watch = watch;
    this.body = body;
    this.heardAt = watch.look;
    this.place = place;
  }

  heard(): void {
    this.heardAt = this.#watch.look;
  }

  stop(): void {
    this.#watch.remove(this);
  }
}
