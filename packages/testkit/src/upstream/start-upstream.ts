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

/** What an upstream answers, and how strict it is. */
export interface UpstreamOptions extends AnswerSource {
  /** Changes to what the provider rejects; the rest of {@link DEFAULT_RULES} stays. */
  readonly rules?: Partial<ProviderRules>;
  /** Refuses requests of the test's choice, before the provider's own rules are asked. */
  readonly rejects?: (request: RequestContent) => Rejection | undefined;
  /** Wants every request signed by these credentials, whatever its path; none unless said. */
  readonly signing?: Signing;
  /** Answers although there is something to reject. What was found is recorded all the same. False by default. */
  readonly isLenient?: boolean;
  /** How every answer travels that does not say so itself. */
  readonly delivery?: Delivery;
  /** Told of every request as it arrives. Whether it is to stay in `requests`: all do by default, and a long run cannot hold them all. */
  readonly keeps?: (request: ReceivedRequest) => boolean;
}

/** A provider that a test runs. */
export interface Upstream {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** Everything that has arrived so far, as far as it is kept. The list grows. */
  readonly requests: readonly ReceivedRequest[];
  /** The requests that a real provider would have refused. */
  rejected(): ReceivedRequest[];
  /** Ids of the responses that are stored. */
  storedIds(): string[];
  /** Resolves with the request of that number, counted from 0, as soon as it has arrived, if it is kept. */
  received(number: number): Promise<ReceivedRequest>;
  /** Closes every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a provider on a free port of 127.0.0.1 that speaks OpenAI Chat (`/v1/chat/completions`), OpenAI Responses (`/v1/responses`,
 * with what is stored of them) and Anthropic Messages (`/v1/messages`, `/v1/messages/count_tokens`), whole and streamed, and echoes what it receives on every other path.
 *
 * Rejects what the real providers reject, with their status and error shape; what is left takes its answer from the script,
 * then from the model. Contract: the same requests in the same order get the same bodies in the same chunks; nothing in it
 * looks at a clock.
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

  // A test that is busy for seconds must not find that its idle connections were closed meanwhile.
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

/** A fault of the script itself, which must not look like an answer. A client that left has nobody to tell. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else
    response.writeHead(500, { 'content-type': 'text/plain' }).end(`The scripted upstream failed: ${error}`);
}
