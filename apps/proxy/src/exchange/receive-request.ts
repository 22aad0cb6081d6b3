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

/** An exchange whose request is yet to be received. */
export interface BegunExchange extends Reporter {
  readonly exchange: FormatExchange;
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
export interface SendableRequest extends Omit<BegunExchange, 'tap'> {
  /** The body as the provider must receive it if nothing else is edited. */
  readonly body: BodyBytes;
  readonly sender: ExchangeSender;
}

/** A request whose body has arrived. */
export interface ReceivedRequest extends SendableRequest, Pick<BegunExchange, 'tap'> {
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
  const { hold, tell } = begun;
  const { settings, stalls, send, effects } = context;
  if (begun.exchange.target.isSealed) return { kind: 'unread', reason: 'signed_request' };
  const limitBytes = settings['server.max_body'];
  const received = await receiveBody(begun.exchange.request, { limitBytes, stalls, hold });
  tell({ kind: 'received' });
  if (!received) return { kind: 'unread', reason: 'short_of_memory' };
  const isLarge = received.length > LARGE_BYTES;
  if (isLarge) {
    received.join();
    await effects.pause();
  }
  const reading = await read(received, begun, context);
  const { view, format } = reading;
  const exchange = { ...begun.exchange, format };
  if (isLarge) await effects.pause();
  tell({ kind: 'read', format: format.name, model: modelName(view), isStream: view?.isStream ?? false });
  // The id of the previous response may stand for several: the provider must get the one that it knows.
  const known = await findPrevious(view, exchange, context);
  const body = originalAfter(received, view, format, known);
  const sender = new ExchangeSender({ exchange, send, tell, isDecoded: body !== received });
  const conversation = exchange.identity.conversationOf(view);
  const request = { received, isLarge, reading, conversation, known, body, sender };
  return { ...begun, ...request, kind: 'received', exchange };
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
  // Memory reserved for reading is no longer needed.
  if (reading.view === undefined) hold.give(hold.bytes - receivedBytes);
  return reading;
}
