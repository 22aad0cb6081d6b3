import { type ExchangeRecord, PRICES } from '@winnow/core';
import { SILENT_TRACER } from '@winnow/service';
import { DEFER_ANYTHING } from '@winnow/testkit';
import { readConfig } from '../src/config/config.ts';
import { Profiles } from '../src/config/profiles.ts';
import { HeadWriter } from '../src/exchange/exchange.ts';
import { handleRequest, type RequestContext } from '../src/exchange/handle-request.ts';
import { RefusedEdits } from '../src/exchange/loop-progress.ts';
import { StallWatch } from '../src/exchange/receive-request.ts';
import { FetchRequest, readFetchCall } from '../src/in-process/fetch-call.ts';
import { FetchResponse } from '../src/in-process/fetch-response.ts';
import { localSearch } from '../src/search/local.ts';
import { KeyedHash } from '../src/sessions/keyed-hash.ts';
import { MemorySessionStore } from '../src/sessions/memory.ts';
import { RequestMemory } from '../src/sessions/request-memory.ts';
import { PendingWork } from '../src/sessions/session-store.ts';
import { Agents } from '../src/strategies/agents.ts';
import { LoadModes } from '../src/strategies/load-modes.ts';
import { policyOf } from '../src/strategies/policy.ts';
import { NO_PRELOAD } from '../src/strategies/preload.ts';
import { chooseUpstream, createUpstreams } from '../src/upstream/choose-upstream.ts';
import { ClientSignal } from '../src/upstream/client.ts';
import type { SendUpstream } from '../src/upstream/send-upstream.ts';

/** An engine over an upstream that is this function, without a server or sockets. */
export function engineOver(
  send: SendUpstream,
  environment: Readonly<Record<string, string>> = {},
  more: Partial<RequestContext> = {},
) {
  const outcome = readConfig({
    environment: { ...DEFER_ANYTHING, PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...environment },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join());
  const { settings } = outcome.config;
  const records: ExchangeRecord[] = [];
  const onDefect = (error: unknown) => {
    throw error;
  };
  const search = localSearch({ pause: async () => {} });
  const context: RequestContext = {
    send,
    searches: { local: search, selector: search },
    sessions: new MemorySessionStore({ ttlMs: 1_000, maxBytes: 1_000_000, now: () => 0 }),
    sessionSecret: new KeyedHash('secret', 'test'),
    memory: new RequestMemory({ maxBytes: 10_000_000, heapShare: () => 0 }),
    stalls: new StallWatch(1_000, () => () => {}),
    pendingWork: new PendingWork(),
    ...policyOf(settings, { pause: async () => {} }),
    preload: NO_PRELOAD,
    agents: new Agents({ now: () => 0 }),
    prices: PRICES,
    loadModes: new LoadModes({ now: () => 0, say: () => {} }),
    refusedEdits: new RefusedEdits(),
    stopping: new AbortController().signal,
    watchUnread: () => {},
    takeRecord: (record) => records.push(record),
    onDefect,
    tracer: SILENT_TRACER,
    effects: {
      now: () => 0,
      wallClock: () => 0,
      makeId: () => 'id',
      every: () => () => {},
      pause: async () => {},
    },
    ...more,
  };
  const upstreams = createUpstreams(outcome.config.upstreams);
  const handled: Promise<unknown>[] = [];
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const call = await readFetchCall(`http://anywhere${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key', ...headers },
      body: JSON.stringify(body),
    });
    const { promise, ...settle } = Promise.withResolvers<Response>();
    const request = new FetchRequest(call!, []);
    const response = new FetchResponse(settle, () => undefined);
    const signal = new ClientSignal();
    const head = new HeadWriter(response, 'exchange-1');
    const target = chooseUpstream(request, upstreams)!;
    const run = handleRequest({ request, response, head, target, signal }, new Profiles([], context));
    run.catch((error) => response.fail(error));
    handled.push(run);
    return promise;
  };
  /** The records, once all exchanges are over. */
  const reported = async () => {
    await Promise.allSettled(handled);
    return records;
  };
  return { post, reported };
}
