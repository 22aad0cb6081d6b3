import type { BodyBytes } from '@winnow/wire';
import type { StallWatch } from '../http/stall-watch.ts';
import type { MemoryHold, RequestMemory } from '../memory/request-memory.ts';
import { type RequestOutcome, readExchange } from '../reading/read-exchange.ts';
import { modelName } from '../records/model-name.ts';
import type { Conversation } from '../sessions/client-identity.ts';
import type { KnownResponse } from '../sessions/known-response.ts';
import { clientAddress } from '../upstream/choose-upstream.ts';
import type { SendUpstream } from '../upstream/send-upstream.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import { ExchangeSender } from './exchange-sender.ts';
import { type FindContext, findPrevious, originalAfter } from './find-response.ts';
import type { FormatExchange } from './format-exchange.ts';
import { receiveBody } from './receive-body.ts';
import type { Reporter } from './report-exchange.ts';

/** An exchange whose request is still to be received. */
export interface BegunExchange extends Reporter {
  readonly exchange: FormatExchange;
  /** The exchange's part of the memory that all share. */
  readonly hold: MemoryHold;
}

/** A request that is forwarded while it comes. */
export interface UnreadRequest {
  readonly kind: 'unread';
  /** The client has signed it for the upstream itself, or there is no memory for its body. */
  readonly reason: 'signed_request' | 'short_of_memory';
}

/** A request that can be sent, as it came or edited. */
export interface SendableRequest extends Omit<BegunExchange, 'tap'> {
  /** The body as the provider has to get it where nothing else of it is edited. */
  readonly body: BodyBytes;
  readonly sender: ExchangeSender;
}

/** A request whose body is there. */
export interface ReceivedRequest extends SendableRequest, Pick<BegunExchange, 'tap'> {
  readonly kind: 'received';
  /** The body as it came. */
  readonly received: BodyBytes;
  /** Whether the body takes so long to handle that others get their turn between two steps. */
  readonly isLarge: boolean;
  readonly reading: RequestOutcome;
  readonly conversation: Conversation;
  /** The stored response that the request goes on from, where the proxy has given it out. */
  readonly known: KnownResponse | undefined;
}

/** Context for receiving. */
export interface ReceiveContext extends FindContext {
  readonly memory: Pick<RequestMemory, 'hasHeap'>;
  /** Ends the bodies of requests that stand still. */
  readonly stalls: StallWatch;
  readonly send: SendUpstream;
  readonly effects: Pick<ExchangeEffects, 'every' | 'pause'>;
  /** Told of errors that are defects. */
  readonly onDefect: (error: unknown) => void;
}

/** Bodies that are larger are read, recognised and edited in turns of the event loop of their own. In bytes. */
const LARGE_BYTES = 512 * 1024;

/**
 * Receives a request, and reads what is acted on: tools, history, choices.
 *
 * Rejects with the error that is to be the response, or when the client leaves.
 */
export async function receiveRequest(
  begun: BegunExchange,
  context: ReceiveContext,
): Promise<ReceivedRequest | UnreadRequest> {
  const { exchange, hold, tell } = begun;
  const { settings, stalls, send, effects } = context;
  if (exchange.target.isSealed) return { kind: 'unread', reason: 'signed_request' };
  const limitBytes = settings['server.max_body'];
  const received = await receiveBody(exchange.request, { limitBytes, stalls, hold });
  tell({ kind: 'received' });
  if (!received) return { kind: 'unread', reason: 'short_of_memory' };
  const isLarge = received.length > LARGE_BYTES;
  if (isLarge) {
    received.join();
    await effects.pause();
  }
  const reading = await read(received, begun, context);
  const { view } = reading;
  if (isLarge) await effects.pause();
  tell({ kind: 'read', model: modelName(view), isStream: view?.isStream ?? false });
  // A request may go on from a response by an id that stands for several: the provider has to get the one that it knows.
  const known = await findPrevious(view, exchange, context);
  const body = originalAfter(received, view, exchange.format, known);
  const sender = new ExchangeSender({ exchange, send, tell, isDecoded: body !== received });
  const conversation = exchange.identity.conversationOf(view);
  return { ...begun, kind: 'received', received, isLarge, reading, conversation, known, body, sender };
}

async function read(
  body: BodyBytes,
  { exchange, hold }: BegunExchange,
  { settings, memory, onDefect }: ReceiveContext,
): Promise<RequestOutcome> {
  const receivedBytes = hold.bytes;
  const reading = await readExchange(body, {
    ...exchange,
    address: clientAddress(exchange.target),
    limitBytes: settings['server.max_body'],
    contentEncoding: exchange.request.headers['content-encoding']?.toString(),
    searchToolName: settings['tools.search_tool_name'],
    clientSearchTools: settings['tools.client_search_tools'],
    neverClientSearch: settings['tools.never_client_search'],
    take: (bytes) => memory.hasHeap && hold.take(bytes),
    onDefect,
  });
  // Memory that was taken to read it is not needed any more.
  if (reading.view === undefined) hold.give(hold.bytes - receivedBytes);
  return reading;
}
