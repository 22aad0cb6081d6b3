import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_SETTINGS, type RunningSelector, startSelector } from '@winnow/selector';
import {
  answer,
  callTool,
  createRandom,
  generateHostileExchange,
  type HostileExchange,
  type HostileTarget,
  type Model,
  sendHostileExchange,
} from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { type Stack, startStack } from './start-stack.ts';

/** Each seed is a different run; for a longer one: `npm run fuzz`. */
const SEEDS = [1, 2, 3];
/** Exchanges of each run. */
const EXCHANGES = 60;
/** Number of concurrent hostile clients. */
const AT_ONCE = 4;
/** Approximate size of bodies. Large ones take long, so `npm run fuzz` covers them. */
const SIZE = 200_000;
/** Time after which an exchange counts as hanging. */
const PATIENCE_MS = 30_000;
/** A separate timeout for busy machines. */
const TIMEOUT_MS = 120_000;

const WANTED = FEW_TOOLS[9]!.name;

const SEARCH_PATH = '/v1/tool-discovery/search';

const TARGETS: Readonly<Record<WireFormat, HostileTarget>> = {
  openai: {
    shape: 'openai',
    path: '/raw/v1/chat/completions',
    headers: { authorization: 'Bearer hostile', 'content-type': 'application/json' },
  },
  anthropic: {
    shape: 'anthropic',
    path: '/raw/v1/messages',
    headers: { 'x-api-key': 'hostile', 'anthropic-version': '2023-06-01' },
  },
};

describe.each<WireFormat>(['openai', 'anthropic'])('a proxy between hostile %s clients', (format) => {
  test.each(SEEDS)(
    'answers or cuts off each of them, and serves the others all the while (seed %i)',
    async (seed) => {
      const stack = await startStack({ model: searchesFirst, settings: await rawUpstream(format) });
      await attack({
        seed,
        url: stack.proxyUrl,
        target: TARGETS[format],
        neighbour: () => converse(stack, format),
      });
      await idle(`${stack.proxyUrl}/_winnow/metrics`, /^winnow_proxy_open_exchanges (\d+)$/m);
      expect(stack.events.filter(({ event }) => event === 'defect')).toEqual([]);
      const own = stack.records.filter(({ upstream }) => upstream !== 'raw');
      expect(own.map(({ planReason, outcome }) => `${planReason} ${outcome}`)).toEqual(
        own.map(() => 'deferred answered'),
      );
    },
    TIMEOUT_MS,
  );
});

describe('a selector between hostile clients', () => {
  test.each(SEEDS)(
    'answers or cuts off each of them, and serves the others all the while (seed %i)',
    async (seed) => {
      let log = '';
      const selector = await startQuietSelector((lines) => {
        log += lines;
      });
      const headers = { 'content-type': 'application/json' };
      const target = { shape: 'selector', path: SEARCH_PATH, headers } as const;
      await attack({ seed, url: selector.url, target, neighbour: () => search(selector.url + SEARCH_PATH) });
      await idle(`${selector.url}/metrics`, /^winnow_waiting_requests{service="selector"} (\d+)$/m);
      expect(log).not.toMatch(/"level":"error"/);
    },
    TIMEOUT_MS,
  );
});

describe('a body of 100 MB', () => {
  const megabyte = Buffer.alloc(1_000_000, ' ');
  const pieces = Array.from({ length: 100 }, () => megabyte);
  const chunks = pieces.flatMap((piece) => [Buffer.from('f4240\r\n'), piece, Buffer.from('\r\n')]);

  test.each([
    ['announced', 'content-length: 100000000', pieces],
    ['in chunks', 'transfer-encoding: chunked', [...chunks, Buffer.from('0\r\n\r\n')]],
  ])(
    'is refused by both services when it comes %s, and its client can read why',
    async (kind, framing, body) => {
      const stack = await startStack({ model: searchesFirst });
      const selector = await startQuietSelector(() => {});
      const post = (url: string, path: string) => {
        const head = `POST ${path} HTTP/1.1\r\nhost: a\r\n${framing}\r\n\r\n`;
        const exchange = { kind, pieces: [Buffer.from(head), ...body], ending: 'wait' } as const;
        return sendHostileExchange(url, exchange, AbortSignal.timeout(PATIENCE_MS));
      };
      expect(await post(stack.proxyUrl, '/v1/chat/completions')).toMatch(
        'The request body is larger than 52428800 bytes.',
      );
      expect(await post(stack.proxyUrl, '/v1/messages')).toMatch('request_too_large');
      expect(await post(selector.url, SEARCH_PATH)).toMatch('payload_too_large');
      await converse(stack, 'openai');
      await search(selector.url + SEARCH_PATH);
    },
    TIMEOUT_MS,
  );
});

/** Hostile clients of one kind of service, and a well-behaved client. */
interface Attack {
  readonly seed: number;
  readonly url: string;
  readonly target: HostileTarget;
  /** Rejects if the response is not as it should be. */
  readonly neighbour: () => Promise<void>;
}

async function attack({ seed, url, target, neighbour }: Attack): Promise<void> {
  const random = createRandom(seed);
  for (let count = 0; count < EXCHANGES; count += AT_ONCE) {
    const exchanges = Array.from({ length: AT_ONCE }, () =>
      generateHostileExchange(random, { target, size: SIZE }),
    );
    await Promise.all([neighbour(), ...exchanges.map((exchange) => judge(url, exchange))]);
  }
}

/** Sends an exchange, and checks that the server closed the connection or sent a readable response. */
async function judge(url: string, exchange: HostileExchange): Promise<void> {
  const received = await sendHostileExchange(url, exchange, AbortSignal.timeout(PATIENCE_MS));
  if (received === '') return;
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]);
  expect(status, exchange.kind).toBeGreaterThanOrEqual(100);
  expect(status, exchange.kind).not.toBe(500);
  const [head = '', body = ''] = received.split('\r\n\r\n', 2);
  if (status < 400 || !/\r\ncontent-type: application\/json/i.test(head)) return;
  expect(JSON.parse(body), exchange.kind).toHaveProperty('error.message');
}

/** A selector with its defaults, closed when the test ends. */
async function startQuietSelector(writeLog: (lines: string) => void): Promise<RunningSelector> {
  const selector = await startSelector(
    { ...DEFAULT_SETTINGS, port: 0, drainTimeoutMs: 0 },
    { now: () => performance.now(), wallClock: () => 0, makeId: () => 'id', writeLog },
  );
  onTestFinished(async () => {
    await selector.close();
  });
  return selector;
}

/** An upstream that accepts everything, for clients whose requests no validator would accept. */
async function rawUpstream(format: WireFormat): Promise<Record<string, string>> {
  const server = createServer((incoming, outgoing) => {
    incoming.on('error', () => {});
    incoming.resume().once('end', () => {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { PROXY_UPSTREAMS_RAW_BASE_URL: url, PROXY_UPSTREAMS_RAW_FORMAT: format };
}

/** Searches for a tool, and calls it once it is found. */
const searchesFirst: Model = (_, { text }) =>
  /"role":"tool"|"type":"tool_result"/.test(text)
    ? answer([callTool(WANTED)])
    : answer([callTool('gateway_search_tools', { query: WANTED })]);

async function converse({ proxyUrl }: Stack, format: WireFormat): Promise<void> {
  const text = await (await send({ format, url: proxyUrl })).text();
  expect(text).toMatch(WANTED);
  expect(text).not.toMatch('gateway_search_tools');
}

async function search(url: string): Promise<void> {
  const tools = FEW_TOOLS.map(({ name, description }) => ({ name, description }));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ pattern: WANTED, top_k: 1, tools }),
  });
  expect(await response.json()).toEqual({ selected_names: [WANTED] });
}

/** Waits until a gauge shows that no client is left. */
async function idle(metricsUrl: string, gauge: RegExp): Promise<void> {
  const read = async () => Number(gauge.exec(await (await fetch(metricsUrl)).text())?.[1]);
  await expect.poll(read, { timeout: PATIENCE_MS }).toBe(0);
}
