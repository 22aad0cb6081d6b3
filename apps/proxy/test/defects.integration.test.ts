import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ExchangeRecord, PRICES } from '@winnow/core';
import { SILENT_SPAN } from '@winnow/service';
import { DEFER_ANYTHING } from '@winnow/testkit';
import { FORMATS, type Format, matchRoute } from '@winnow/wire';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { Candidates } from '../src/config/profiles.ts';
import { ClientAccess } from '../src/edge/client-access.ts';
import { createListener } from '../src/edge/create-listener.ts';
import { HeadWriter } from '../src/exchange/exchange.ts';
import { handleExchange } from '../src/exchange/handle-exchange.ts';
import { RefusedEdits } from '../src/exchange/loop-progress.ts';
import { StallWatch } from '../src/exchange/receive-request.ts';
import { localSearch } from '../src/search/local.ts';
import { ClientIdentity, originOf } from '../src/sessions/client-identity.ts';
import { KeyedHash } from '../src/sessions/keyed-hash.ts';
import { MemorySessionStore } from '../src/sessions/memory.ts';
import { RequestMemory } from '../src/sessions/request-memory.ts';
import { PendingWork } from '../src/sessions/session-store.ts';
import { Agents } from '../src/strategies/agents.ts';
import { LoadModes } from '../src/strategies/load-modes.ts';
import { policyOf } from '../src/strategies/policy.ts';
import { NO_PRELOAD } from '../src/strategies/preload.ts';
import { createUpstreams } from '../src/upstream/choose-upstream.ts';
import type { UpstreamRequest } from '../src/upstream/send-upstream.ts';
import { UpstreamBody } from '../src/upstream/upstream-body.ts';

const chat = FORMATS.find(
  (format) => matchRoute(format.reading, 'POST', '/v1/chat/completions') === 'answer',
)!;

const BODY = JSON.stringify({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  tools: ['a', 'b', 'c'].map((name) => ({ type: 'function', function: { name } })),
});

const SECRET = new KeyedHash('secret', 'test');

/** Sends one request through a proxy whose format has a defect. */
async function exchangeWith(defects: Partial<Format>) {
  const outcome = readConfig({
    environment: { ...DEFER_ANYTHING, PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join());
  const { settings, upstreams } = outcome.config;
  const records: ExchangeRecord[] = [];
  const sent: string[] = [];
  const reported: unknown[] = [];
  const onDefect = (error: unknown) => reported.push(error);
  const search = localSearch({ pause: async () => {} });
  const listener = createListener({
    upstreams: () => createUpstreams(upstreams),
    access: new ClientAccess({ tokens: [], allowedHosts: [], allowedOrigins: [] }),
    guardOf: () => 'none',
    isDraining: () => false,
    isRefusing: () => false,
    begin: () => () => {},
    createHead: (response) => new HeadWriter(response, 'id'),
    collectMetrics: async () => ({ text: '', contentType: '' }),
    wallClock: () => 0,
    onDefect,
    handle: (exchange) =>
      handleExchange(
        {
          ...exchange,
          span: SILENT_SPAN,
          purpose: 'answer',
          format: { ...chat, ...defects },
          identity: new ClientIdentity(() => originOf(exchange.request, exchange.target, []), SECRET),
        },
        new Candidates([], {
          send: async (request: UpstreamRequest) => {
            sent.push(String(request.body));
            const headers = ['content-type', 'application/json'];
            const body = new UpstreamBody({ pause() {}, resume() {}, abort() {} });
            body.push(Buffer.from('{"choices":[]}'));
            body.finish();
            return { status: 200, headers, body };
          },
          searches: { local: search, selector: search },
          sessions: new MemorySessionStore({ ttlMs: 1_000, maxBytes: 1_000, now: () => 0 }),
          memory: new RequestMemory({ maxBytes: 1_000_000, heapShare: () => 0 }),
          stalls: new StallWatch(1_000, () => () => {}),
          pendingWork: new PendingWork(),
          ...policyOf(settings, { pause: async () => {} }),
          preload: NO_PRELOAD,
          agents: new Agents({ now: () => 0 }),
          prices: PRICES,
          loadModes: new LoadModes({ now: () => 0, say: () => {} }),
          refusedEdits: new RefusedEdits(),
          stopping: new AbortController().signal,
          takeRecord: (record) => records.push(record),
          onDefect,
          effects: {
            now: () => 0,
            wallClock: () => 0,
            makeId: () => 'id',
            every: () => () => {},
            pause: async () => {},
          },
        }),
        { arm: 'full', reason: 'rollout_full' },
      ),
  });
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`;
  const response = await fetch(url, { method: 'POST', body: BODY });
  return { status: response.status, text: await response.text(), sent, records, reported };
}

const defect = () => {
  throw new TypeError('a defect');
};

describe('a defect of ours', () => {
  test.each<[string, Partial<Format>, number]>([
    ['reading the request', { reading: { ...chat.reading, readRequest: defect } }, 1],
    [
      'choosing the load mode',
      {
        loading: {
          ...chat.loading,
          get modes() {
            return defect();
          },
        },
      },
      1,
    ],
    ['editing the request', { editing: { editRequest: defect } }, 1],
    ['making the joiner', { joining: { joinResponses: defect } }, 1],
    [
      'reading the response',
      {
        joining: {
          joinResponses: (view, plan) => ({ ...chat.joining.joinResponses(view, plan), feed: defect }),
        },
      },
      2,
    ],
  ])('in %s costs the client nothing: the original bytes are sent', async (_, defects, upstreamCalls) => {
    const { status, text, sent, records, reported } = await exchangeWith(defects);
    expect([status, text]).toEqual([200, '{"choices":[]}']);
    expect(sent.at(-1)).toBe(BODY);
    expect(records).toMatchObject([{ outcome: 'answered', status: 200, upstreamCalls }]);
    expect(reported).toEqual([new TypeError('a defect')]);
  });
});
