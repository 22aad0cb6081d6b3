import { Profiles } from '../config/profiles.ts';
import { SETTINGS } from '../config/settings.ts';
import { HeadWriter } from '../exchange/exchange.ts';
import { handleRequest } from '../exchange/handle-request.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import { ClientSignal } from '../upstream/client.ts';
import { errorBody, PROXY_ERRORS, ProxyError } from '../upstream/proxy-error.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { type Fetch, type FetchCall, FetchRequest, originalOf, readFetchCall } from './fetch-call.ts';
import { FetchResponse } from './fetch-response.ts';
import { type Engine, type EngineOptions, openEngine } from './open-engine.ts';
import { FetchSender } from './send-by-fetch.ts';

/**
 * Returns a function that works like `fetch` and shows models only the tools that they need. Requests to models
 * take the same steps as in the proxy; all other calls go to `fetch` unchanged.
 *
 * Contract: safe for concurrent calls. Holds notes about conversations in memory, within bounds. Rejects with
 * the errors of `fetch` and the reasons of the callers' signals. Opens nothing before its first request.
 */
export function winnowFetch(fetch: Fetch, options: EngineOptions = {}): Fetch {
  const { onRecord, settings } = options;
  const { default: byDefault } = SETTINGS['tools.min_deferred_tokens'];
  const fewestTokens = settings?.['tools.min_deferred_tokens'] ?? byDefault;
  let engine: Engine | undefined;
  return async (input, init) => {
    const call = await readFetchCall(input, init, onRecord === undefined ? fewestTokens : undefined);
    if (call === undefined) return fetch(input, init);
    engine ??= openEngine(options);
    return answerCall(call, fetch, engine);
  };
}

function answerCall(call: FetchCall, fetch: Fetch, engine: Engine): Promise<Response> {
  const settle = Promise.withResolvers<Response>();
  const { signal } = call;
  const sender = new FetchSender(fetch, call);
  const response = new FetchResponse(settle, () => sender.last?.response);
  const client = new ClientSignal();
  const onAbort = () => response.fail(signal!.reason);
  response.onClose((isWhole) => {
    signal?.removeEventListener('abort', onAbort);
    if (isWhole) return;
    client.abort();
    sender.leave();
  });
  signal?.addEventListener('abort', onAbort);
  void run({ call, sender, response, client }, engine);
  return settle.promise;
}

/** One call on its way. */
interface Running {
  readonly call: FetchCall;
  readonly sender: FetchSender;
  readonly response: FetchResponse;
  readonly client: ClientSignal;
}

async function run({ call, sender, response, client }: Running, engine: Engine): Promise<void> {
  const { context, identity } = engine;
  const { effects, onDefect } = context;
  const head = new HeadWriter(response, effects.makeId());
  const target = targetOf(call, engine);
  try {
    const request = new FetchRequest(call, identity);
    const handOver = ({ body }: UpstreamResponse) => {
      const { last } = sender;
      if (last?.body !== body) return false;
      response.become(last.response);
      return true;
    };
    const exchange = { request, response, head, target, signal: client, handOver };
    await handleRequest(exchange, new Profiles([], { ...context, send: sender.send }));
  } catch (error) {
    if (response.isEnded) return;
    const original = originalOf(error);
    if (original !== error || response.hasStarted) response.fail(original);
    else if (isCallers(error)) refuse(error, target, { head, response });
    else {
      if (!(error instanceof ProxyError)) onDefect(error);
      await sender.sendOriginal().then(
        (own) => response.become(own),
        (failure: unknown) => response.fail(failure),
      );
    }
  }
}

function targetOf({ url, format }: FetchCall, { upstreamOf }: Engine): Target {
  const { origin, pathname: clientPath, search: query } = url;
  return { upstream: upstreamOf(format, origin), clientPath, query, path: clientPath + query };
}

/** Whether an error concerns the request itself: without Winnow, it could not be answered either. */
function isCallers(error: unknown): error is ProxyError {
  return error instanceof ProxyError && error.code === 'resume_not_supported';
}

function refuse(
  error: ProxyError,
  { upstream }: Target,
  { head, response }: { readonly head: HeadWriter; readonly response: FetchResponse },
): void {
  head.write(PROXY_ERRORS[error.code], ['content-type', 'application/json']);
  response.end(errorBody(error, upstream.vendor));
}
