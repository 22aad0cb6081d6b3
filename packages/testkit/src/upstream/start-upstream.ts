import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchProgress } from './answer-progress.ts';
import { answerRequest, expandRequest, judgeRequest } from './answer-request.ts';
import { type AnswerSource, createAnswerChoice } from './choose-answer.ts';
import type { Delivery } from './delivery.ts';
import { DEFAULT_RULES, type ProviderRules } from './provider-rules.ts';
import { type ReceivedRequest, type RequestContent, receiveRequest } from './received-request.ts';
import type { Rejection } from './rejection.ts';
import { createRequestLog } from './request-log.ts';
import { ResponseMemory } from './response-memory.ts';
import { type Signing, verifySignature } from './verify-signature.ts';

/** An upstream's responses, and its strictness. */
export interface UpstreamOptions extends AnswerSource {
  /** Changes to {@link DEFAULT_RULES}. */
  readonly rules?: Partial<ProviderRules>;
  /** Refuses requests of the test's choice; checked before the provider's own rules. */
  readonly rejects?: (request: RequestContent) => Rejection | undefined;
  /**
   * Requires a signature by these credentials on every request, whatever its path. By default none is
   * required.
   */
  readonly signing?: Signing;
  /** Whether to respond to invalid requests as well. Faults are recorded either way. Default: false. */
  readonly isLenient?: boolean;
  /** The delivery of responses that do not specify one. */
  readonly delivery?: Delivery;
  /**
   * Called with every request as it arrives. Returns whether to keep it in `requests`. By default all are
   * kept, which a long run cannot afford.
   */
  readonly keeps?: (request: ReceivedRequest) => boolean;
}

/** A provider that runs in a test. */
export interface Upstream {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** All requests so far that were kept. The list grows. */
  readonly requests: readonly ReceivedRequest[];
  /** The requests that a real provider would have refused. */
  rejected(): ReceivedRequest[];
  /** Ids of the stored responses. */
  storedIds(): string[];
  /** Resolves with the request of that number, counted from 0, as soon as it has arrived, if it is kept. */
  received(number: number): Promise<ReceivedRequest>;
  /** Closes every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a provider on a free port of 127.0.0.1 with OpenAI Chat (`/v1/chat/completions`), OpenAI Responses
 * (`/v1/responses`, including stored responses), Anthropic Messages (`/v1/messages`,
 * `/v1/messages/count_tokens`) and the other formats, whole and streamed. Echoes the request on every other
 * path.
 *
 * Rejects what the real providers reject, with their status and error shape. Other requests get their
 * response from the script, then from the model. Contract: the same requests in the same order get the same
 * bodies in the same chunks; nothing depends on a clock.
 */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const log = createRequestLog();
  const { signing } = options;
  const judgement = {
    rules: { ...DEFAULT_RULES, ...options.rules },
    rejects: (request: RequestContent) =>
      (signing && verifySignature(request, signing)) ?? options.rejects?.(request),
  };
  const choose = createAnswerChoice(options);
  const memory = new ResponseMemory();
  let count = 0;

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const keeper = watchProgress(response);
    const request = await receiveRequest(incoming);
    const requestNumber = count++;
    const body = expandRequest(request, memory, judgement.rules);
    const rejection = judgeRequest(request, body, judgement);
    const received = { ...request, number: requestNumber, rejection, answer: keeper.progress };
    const { delivery = {}, keeps = () => true } = options;
    if (keeps(received)) log.add(received);
    const refusal = options.isLenient ? undefined : rejection;
    await answerRequest({
      request,
      body,
      memory,
      requestNumber,
      rejection: refusal,
      response,
      keeper,
      choose,
      delivery,
    });
  };

  // The server must not close idle connections while a test is busy for seconds.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    serve(incoming, response).catch((error: unknown) => fail(response, error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: log.requests,
    rejected: () => log.requests.filter(({ rejection }) => rejection !== undefined),
    storedIds: () => memory.ids,
    received: log.received,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Reports a fault of the script itself, which must not look like a response. If the client has left, there is
 * no one to report to.
 */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else
    response.writeHead(500, { 'content-type': 'text/plain' }).end(`The scripted upstream failed: ${error}`);
}
