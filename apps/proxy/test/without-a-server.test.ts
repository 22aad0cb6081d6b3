import { createSecretKey } from 'node:crypto';
import type { ExchangeRecord } from '@winnow/contract';
import { DEFER_ANYTHING } from '@winnow/testkit';
import { SILENT_TRACER } from '@winnow/tracing';
import { expect, test } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import type { RequestContext } from '../src/exchange/handle-request.ts';
import { UnstoredItems } from '../src/exchange/unstored-items.ts';
import { StallWatch } from '../src/http/stall-watch.ts';
import { UpstreamBody } from '../src/http/upstream-body.ts';
import { RequestMemory } from '../src/memory/request-memory.ts';
import { localSearch } from '../src/search/local.ts';
import { MemorySessionStore } from '../src/sessions/memory.ts';
import { PendingWork } from '../src/sessions/pending-work.ts';
import { STRATEGIES } from '../src/strategies/index.ts';
import { LoadModes } from '../src/strategies/load-modes.ts';
import { createUpstreams } from '../src/upstream/create-upstreams.ts';
import type { SendUpstream } from '../src/upstream/send-upstream.ts';
import { responseOf } from './exchange-under-test.ts';
import { fetchThrough } from './fetch-exchange.ts';

/** An engine whose upstream is this function: what a server does around it is missing, and it opens nothing. */
function engineOver(send: SendUpstream, environment: Readonly<Record<string, string>> = {}) {
  const outcome = readConfig({
    environment: { ...DEFER_ANYTHING, PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...environment },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join());
  const { settings } = outcome.config;
  const records: ExchangeRecord[] = [];
  const onDefect = (error: unknown) => {
    throw error;
  };
  const search = localSearch({ limit: 5, alwaysKeep: [], pause: async () => {} });
  const context: RequestContext = {
    settings,
    send,
    searches: { local: search, selector: search },
    sessions: new MemorySessionStore({ ttlMs: 1_000, maxBytes: 1_000_000, now: () => 0 }),
    sessionSecret: createSecretKey(Buffer.from('secret')),
    memory: new RequestMemory({ maxBytes: 10_000_000, heapShare: () => 0 }),
    stalls: new StallWatch(1_000, () => () => {}),
    pendingWork: new PendingWork(),
    strategy: STRATEGIES['tool-search'].configure(settings),
    preload: async () => [],
    loadModes: new LoadModes('swap', { now: () => 0, say: () => {} }),
    unstoredItems: new UnstoredItems(),
    tap: () => undefined,
    tapUnread: () => undefined,
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
  };
  const upstreams = createUpstreams(outcome.config.upstreams);
  const handled: Promise<unknown>[] = [];
  const post = (path: string, body: object) => {
    const request = new Request(`http://anywhere${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
      body: JSON.stringify(body),
    });
    const exchange = fetchThrough(request, context, upstreams);
    handled.push(exchange.handled);
    return exchange.response;
  };
  /** The records, once all exchanges are over. */
  const reported = async () => {
    await Promise.allSettled(handled);
    return records;
  };
  return { post, reported };
}

const tool = (name: string, description: string) => ({
  name,
  description,
  input_schema: { type: 'object' },
});
const TOOLS = [
  tool('send_mail', 'Sends an e-mail to somebody.'),
  tool('read_weather', 'Tells the weather of a city.'),
  tool('book_flight', 'Books a flight between two cities.'),
];
const ask = (...messages: object[]) => ({ model: 'm', max_tokens: 9, tools: TOOLS, messages });
const QUESTION = { role: 'user', content: 'Will it rain in Bern?' };

const turn = (id: string, stop: string, ...content: object[]) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
});
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });

const SCRIPT = [
  turn('msg_1', 'tool_use', call('toolu_s', 'gateway_search_tools', { query: 'weather' })),
  turn('msg_2', 'tool_use', call('toolu_w', 'read_weather', { city: 'Bern' })),
  turn('msg_3', 'end_turn', { type: 'text', text: 'It will.' }),
];

test('a conversation with a search runs on the Fetch API alone, without a server or a socket', async () => {
  const sent: string[] = [];
  const { post, reported } = engineOver(async ({ body }) => {
    sent.push(String(body));
    return responseOf(200, SCRIPT[sent.length - 1]!);
  });

  const first = await post('/v1/messages', ask(QUESTION));
  const answer = (await first.json()) as ReturnType<typeof turn>;
  expect(answer.content).toEqual([call('toolu_w', 'read_weather', { city: 'Bern' })]);
  expect(sent.map((body) => body.includes('"gateway_search_tools"'))).toEqual([true, true]);
  expect(sent.map((body) => body.includes('Tells the weather'))).toEqual([false, true]);
  const [record] = await reported();
  expect(record).toMatchObject({ outcome: 'answered', status: 200, upstreamCalls: 2 });
  expect(record!.searches).toMatchObject([{ outcome: 'found', names: ['read_weather'] }]);

  // The next turn shows the search to the model again, which its client has never seen.
  const result = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_w', content: 'rain' }],
  };
  const second = await post(
    '/v1/messages',
    ask(QUESTION, { role: 'assistant', content: answer.content }, result),
  );
  expect(await second.json()).toMatchObject({ content: [{ type: 'text', text: 'It will.' }] });
  expect(sent[2]).toContain('toolu_s');
  expect((await reported())[1]).toMatchObject({ hiddenTurnsKnown: 1, upstreamCalls: 1 });
});

test('a client that reads slowly slows the upstream down, and gets every byte in order', async () => {
  let pauses = 0;
  const body = new UpstreamBody({ pause: () => pauses++, resume: () => {}, abort: () => {} });
  const { post } = engineOver(
    async () => ({ status: 200, headers: ['content-type', 'text/event-stream'], body }),
    { PROXY_ROLLOUT_MODE: 'off' },
  );
  const response = await post('/v1/messages', ask(QUESTION));
  const pieces = Array.from({ length: 40 }, (_, at) => Buffer.alloc(4_096, at));
  for (const piece of pieces) body.push(piece);
  expect(pauses).toBe(1);
  body.finish();
  expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.concat(pieces))).toBe(true);
});

test('a client that leaves takes its request to the upstream with it', async () => {
  let isAborted = false;
  const { post, reported } = engineOver(
    async () => {
      const body = new UpstreamBody({
        pause: () => {},
        resume: () => {},
        abort: () => {
          isAborted = true;
        },
      });
      return { status: 200, headers: ['content-type', 'text/event-stream'], body };
    },
    { PROXY_ROLLOUT_MODE: 'off' },
  );
  const response = await post('/v1/messages', ask(QUESTION));
  await response.body!.cancel();
  expect(isAborted).toBe(true);
  expect(await reported()).toMatchObject([{ outcome: 'client_gone' }]);
});
