import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { DEFAULT_SETTINGS, startSelector } from '@winnow/selector';
import { startTracing, type Tracer } from '@winnow/service';
import {
  answer,
  type CollectedSpan,
  type Collector,
  type CollectorMood,
  callTool,
  createGate,
  DEFER_ANYTHING,
  say,
  startCollector,
  startUpstream,
  waitFor,
} from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startProcess } from '../deploy/start-process.ts';
import { countedTracer } from './counted-tracer.ts';
import { answersWith, startFakeSelector } from './fake-selector.ts';
import { bodyOf, FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { recordsOf, type Stack, type StackOptions, startStack } from './start-stack.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const PATHS = { openai: '/v1/chat/completions', anthropic: '/v1/messages' };
const WANTED = FEW_TOOLS[9]!.name;
const SEARCH_PATH = '/v1/tool-discovery/search';

/** The model searches, and calls the tools found. */
const FINDS_IT = [answer([callTool('gateway_search_tools', { query: WANTED })]), answer([callTool(WANTED)])];

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN_ID = 'b7ad6b7169203331';
const CLIENT_TRACE = {
  traceparent: `00-${TRACE_ID}-${CLIENT_SPAN_ID}-01`,
  tracestate: 'vendor=opaque,other=1',
};

interface TracedStack extends Stack {
  readonly collector: Collector;
  /**
   * Waits until every span has ended, flushes the rest to the collector, and returns all spans that it
   * received.
   */
  readonly allSpans: () => Promise<readonly CollectedSpan[]>;
}

/** The stack, both services sending spans to a collector. */
async function startTracedStack(options: StackOptions, mood?: CollectorMood): Promise<TracedStack> {
  const collector = await startCollector(mood);
  const start = (serviceName: string) =>
    startTracing({
      settings: { url: `${collector.url}/v1/traces`, sampler: 'parentbased_always_on', ratio: 1 },
      serviceName,
      clock: { now: () => performance.now(), wallClock: () => Date.now() },
      onChange: () => {},
    });
  const [ofProxy, ofSelector] = await Promise.all([start('winnow-proxy'), start('winnow-selector')]);
  const [counted, countedToo] = [countedTracer(ofProxy.tracer), countedTracer(ofSelector.tracer)];
  const selectorUrl = options.selectorUrl ?? (await startTracedSelector(countedToo.tracer));
  const stack = await startStack({ ...options, selectorUrl, effects: { tracer: counted.tracer } });
  onTestFinished(() => collector.close());
  const never = new AbortController().signal;
  return Object.assign(stack, {
    collector,
    allSpans: async () => {
      while (counted.open() + countedToo.open() > 0) await turn();
      await Promise.all([ofProxy.close(never), ofSelector.close(never)]);
      return collector.spans;
    },
  });
}

async function startTracedSelector(tracer: Tracer): Promise<string> {
  const selector = await startSelector(
    { ...DEFAULT_SETTINGS, port: 0, drainTimeoutMs: 0 },
    {
      now: () => performance.now(),
      wallClock: () => 0,
      makeId: () => 'test',
      writeLog: () => {},
      tracer,
    },
  );
  onTestFinished(async () => {
    await selector.close();
  });
  return `${selector.url}${SEARCH_PATH}`;
}

/** A span with its children, in order of their start, as text. */
function treeOf(spans: readonly CollectedSpan[], parentSpanId = ''): unknown[] {
  return spans
    .filter((span) => span.parentSpanId === parentSpanId)
    .sort((one, other) => Number(one.startNs - other.startNs))
    .map((span) => {
      const children = treeOf(spans, span.spanId);
      const label = `${span.service.replace('winnow-', '')} ${span.kind} ${span.name}`;
      return children.length === 0 ? label : [label, ...children];
    });
}

const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe.each(FORMATS)('%s: a trace', (format) => {
  test('shows a searched, streamed exchange over both services as one tree', async () => {
    const stack = await startTracedStack({ script: FINDS_IT });
    const text = await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    expect(text).toContain(WANTED);
    const spans = await stack.allSpans();
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(treeOf(spans)).toEqual([
      [
        `proxy server POST ${PATHS[format]}`,
        'proxy internal plan',
        'proxy client POST',
        [
          'proxy client search',
          [
            `selector server POST ${SEARCH_PATH}`,
            'selector internal receive',
            'selector internal parse',
            'selector internal index',
            'selector internal rank',
          ],
        ],
        'proxy client POST',
      ],
    ]);
    expect(spans.filter(({ hasFailed }) => hasFailed)).toEqual([]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  });

  test('tells the time to the first chunk of streams', async () => {
    const stack = await startTracedStack({ script: FINDS_IT });
    await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    await recordsOf(stack, 1);
    const times = named(await stack.allSpans(), 'POST').map(
      ({ attributes }) => attributes['gen_ai.response.time_to_first_chunk'],
    );
    expect(times).toEqual(times.map(() => expect.any(Number)));
    expect(times).toHaveLength(2);
    for (const time of times) expect(time).toBeGreaterThan(0);
  });

  test('tells counts, codes and names, and nothing else', async () => {
    const usage = { inputTokens: 100, outputTokens: 10 };
    const stack = await startTracedStack({
      script: FINDS_IT.map((one) => ({ ...one, usage })),
    });
    await (await send({ format, url: stack.proxyUrl, user: 'Dig a secret well.' })).text();
    await recordsOf(stack, 1);
    const spans = await stack.allSpans();
    const [exchange] = named(spans, `POST ${PATHS[format]}`);
    expect(exchange!.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': PATHS[format],
      'url.path': PATHS[format],
      'http.response.status_code': 200,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': format,
      'gen_ai.request.model': format === 'openai' ? 'gpt-test' : 'claude-opus-4-5',
      'gen_ai.usage.input_tokens': 200,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 0,
      ...(format === 'anthropic' && { 'gen_ai.usage.cache_creation.input_tokens': 0 }),
      'winnow.request_id': stack.records[0]!.requestId,
      'winnow.upstream': format,
      'winnow.format': stack.records[0]!.format,
      'winnow.strategy': 'api',
      'winnow.arm': 'full',
      'winnow.plan_reason': 'deferred',
      'winnow.load_mode': stack.records[0]!.loadMode,
      'winnow.outcome': 'answered',
      'winnow.stream': false,
      'winnow.tools.total': 12,
      'winnow.tools.kept': 0,
      'winnow.tools.deferred': 12,
      'winnow.tools.loaded': stack.records[0]!.tools.loaded,
      'winnow.searches': 1,
      'winnow.upstream_calls': 2,
      'winnow.hidden_turns': 0,
      'winnow.session_errors': 0,
    });
    expect(named(spans, 'search')[0]!.attributes).toEqual({
      'http.response.status_code': 200,
      'winnow.search.tools': 12,
      'winnow.search.query_chars': WANTED.length,
      'winnow.search.outcome': 'found',
      'winnow.search.found': stack.records[0]!.searches[0]!.names.length,
    });
    expect(named(spans, 'POST')[0]!.attributes).toEqual({
      'gen_ai.provider.name': format,
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'winnow.upstream': format,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(stack.upstream.url).port),
    });
    const [searched] = named(spans, `POST ${SEARCH_PATH}`);
    expect(searched!.attributes).toMatchObject({
      'http.response.status_code': 200,
      'winnow.request_id': stack.records[0]!.requestId,
      'winnow.search.index': 'built',
      'winnow.search.type': expect.any(String),
    });
    const bytes = stack.collector.received().toString('latin1');
    for (const content of ['secret well', FEW_TOOLS[9]!.description, 'Bearer key', 'x-api-key']) {
      expect(bytes).not.toContain(content);
    }
  });

  test("goes on below the client's, and the upstream gets the client's own headers", async () => {
    const stack = await startTracedStack({ script: FINDS_IT });
    await (await send({ format, url: stack.proxyUrl, headers: CLIENT_TRACE })).text();
    const spans = await stack.allSpans();
    const [exchange] = named(spans, `POST ${PATHS[format]}`);
    expect(exchange).toMatchObject({
      traceId: TRACE_ID,
      parentSpanId: CLIENT_SPAN_ID,
      traceState: CLIENT_TRACE.tracestate,
    });
    expect(named(spans, 'rank')).toMatchObject([{ traceId: TRACE_ID }]);
    expect(stack.upstream.requests.map(({ headers }) => headers)).toMatchObject([CLIENT_TRACE, CLIENT_TRACE]);
  });

  test('adds no header to requests of clients that send none', async () => {
    const stack = await startTracedStack({ script: FINDS_IT });
    await (await send({ format, url: stack.proxyUrl })).text();
    for (const { headers } of stack.upstream.requests) expect(headers).not.toHaveProperty('traceparent');
  });

  test('of which the client wants no spans has none, in neither service', async () => {
    const stack = await startTracedStack({ script: FINDS_IT });
    const headers = { traceparent: CLIENT_TRACE.traceparent.replace(/01$/, '00') };
    await (await send({ format, url: stack.proxyUrl, headers })).text();
    expect(await stack.allSpans()).toEqual([]);
  });
});

describe('what goes wrong', () => {
  test('at the upstream fails its request and the exchange', async () => {
    const stack = await startTracedStack({ script: [{ kind: 'error', status: 500, message: 'no' }] });
    await (await send({ format: 'openai', url: stack.proxyUrl })).text();
    const failed = (await stack.allSpans()).filter(({ hasFailed }) => hasFailed);
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['POST', '500'],
      ['POST /v1/chat/completions', '500'],
    ]);
  });

  test('with the connection to the upstream fails both, and says so', async () => {
    const settings = { PROXY_UPSTREAMS_OPENAI_BASE_URL: 'http://127.0.0.1:9' };
    const stack = await startTracedStack({ script: [], settings });
    expect((await send({ format: 'openai', url: stack.proxyUrl })).status).toBe(502);
    const spans = await stack.allSpans();
    const failed = spans.filter(({ hasFailed }) => hasFailed);
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['POST', 'upstream_unreachable'],
      ['POST /v1/chat/completions', 'upstream_unreachable'],
    ]);
    expect(failed[1]!.attributes).toMatchObject({
      'http.response.status_code': 502,
      'winnow.outcome': 'failed',
    });
  });

  test('with a search fails the search alone', async () => {
    const selectorUrl = await startFakeSelector(answersWith(500, 'no'));
    const stack = await startTracedStack({ script: FINDS_IT, selectorUrl });
    await (await send({ format: 'openai', url: stack.proxyUrl })).text();
    const failed = (await stack.allSpans()).filter(({ hasFailed }) => hasFailed);
    expect(failed).toMatchObject([
      { name: 'search', attributes: { 'error.type': 'api_error', 'http.response.status_code': 500 } },
    ]);
  });

  test('when a client leaves is not a failure: every span ends, once', async () => {
    const gate = createGate();
    const stack = await startTracedStack({ script: [answer([say('first ', waitFor(gate), 'last')])] });
    const leaving = new AbortController();
    await send({ format: 'openai', url: stack.proxyUrl, isStream: true, signal: leaving.signal });
    await gate.reached;
    leaving.abort();
    await recordsOf(stack, 1);
    const spans = await stack.allSpans();
    expect(treeOf(spans)).toEqual([
      ['proxy server POST /v1/chat/completions', 'proxy internal plan', 'proxy client POST'],
    ]);
    expect(spans.filter(({ hasFailed }) => hasFailed)).toEqual([]);
    for (const span of spans.filter(({ name }) => name !== 'plan')) {
      expect(span.attributes['winnow.outcome']).toBe('client_gone');
    }
    gate.open();
  });
});

test('what no format handles is traced by its method alone', async () => {
  const stack = await startTracedStack({ script: [] });
  await (await fetch(`${stack.proxyUrl}/v1/files/file-123?key=of-the-client`)).text();
  const spans = await stack.allSpans();
  expect(treeOf(spans)).toEqual([['proxy server GET', 'proxy client GET']]);
  expect(stack.collector.received().toString('latin1')).not.toMatch(/file-123|of-the-client/);
});

test("in dark, the observed search is below the exchange's span", async () => {
  const settings = { PROXY_ROLLOUT_MODE: 'dark' };
  const stack = await startTracedStack({ script: [answer([say('hello')])], settings });
  await (await send({ format: 'openai', url: stack.proxyUrl })).text();
  await recordsOf(stack, 1);
  const spans = await stack.allSpans();
  const [exchange] = named(spans, 'POST /v1/chat/completions');
  const [search] = named(spans, 'search');
  expect(search).toMatchObject({ service: 'winnow-proxy', parentSpanId: exchange!.spanId });
  expect(named(spans, `POST ${SEARCH_PATH}`)).toMatchObject([
    { service: 'winnow-selector', traceId: exchange!.traceId, parentSpanId: search!.spanId },
  ]);
});

describe.each<CollectorMood>(['refuses', 'hangs'])('a collector that %s', (mood) => {
  test('changes no answer', async () => {
    const traced = await startTracedStack({ script: FINDS_IT }, mood);
    const plain = await startStack({ script: FINDS_IT });
    const answers = await Promise.all(
      [traced, plain].map(async ({ proxyUrl }) => {
        const response = await send({ format: 'anthropic', url: proxyUrl, isStream: true });
        return [response.status, await response.text()];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  test('does not hold up the end of the services, and is spoken of once at most', async () => {
    const [upstream, collector] = await Promise.all([
      startUpstream({ script: FINDS_IT }),
      startCollector(mood),
    ]);
    onTestFinished(async () => {
      await Promise.all([upstream.close(), collector.close()]);
    });
    const tracing = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // Longer than a test may take.
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    };
    const selector = startService('selector', { SELECTOR_SERVER_PORT: '0', ...tracing });
    const proxy = startService('proxy', {
      ...DEFER_ANYTHING,
      PROXY_SERVER_PORT: '0',
      PROXY_RECORDS_FILE: 'none',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
      PROXY_TOOLS_API_ENDPOINT: `${await urlOf(selector)}${SEARCH_PATH}`,
      ...tracing,
    });
    const url = await urlOf(proxy);
    expect(await (await send({ format: 'openai', url })).text()).toContain(WANTED);
    expect(await Promise.all([proxy.stop(), selector.stop()])).toEqual([0, 0]);
    expect(collector.spans.map(({ service }) => service)).toContain('winnow-proxy');
    expect(collector.spans.map(({ service }) => service)).toContain('winnow-selector');
    for (const service of [proxy, selector]) {
      const spoken = service.output().match(/trace_export_down/g) ?? [];
      expect(spoken).toHaveLength(mood === 'refuses' ? 1 : 0);
    }
  });
});

function startService(service: 'proxy' | 'selector', environment: Readonly<Record<string, string>>) {
  const program = fileURLToPath(new URL(`../../apps/${service}/src/main.ts`, import.meta.url));
  return startProcess({ command: [process.execPath, program], environment, folder: tmpdir() });
}

async function urlOf(service: ReturnType<typeof startProcess>): Promise<string> {
  return (await service.says(/listens on (http:\/\/127\.0\.0\.1:\d+)/))[1]!;
}

describe('without tracing', () => {
  /** The headers of the selector's request if the client sends these. */
  async function askedWith(headers: Readonly<Record<string, string>>): Promise<IncomingHttpHeaders> {
    let asked: IncomingHttpHeaders = {};
    const selectorUrl = await startFakeSelector((incoming, outgoing) => {
      asked = incoming.headers;
      incoming.resume();
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ selected_names: [WANTED] }));
    });
    const stack = await startStack({ script: FINDS_IT, selectorUrl });
    await post(stack.proxyUrl, headers);
    await recordsOf(stack, 1);
    expect(stack.records[0]!.searches).toMatchObject([{ outcome: 'found' }]);
    return asked;
  }

  /** Unlike `fetch`, sends arbitrary bytes in a header. */
  function post(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = request(`${url}/v1/chat/completions`, {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', authorization: 'Bearer key', ...headers },
      });
      sent.on('error', reject);
      sent.on('response', (response) => response.resume().on('end', resolve));
      sent.end(bodyOf({ format: 'openai', url }));
    });
  }

  test("the selector gets the client's trace as it came", async () => {
    expect(await askedWith(CLIENT_TRACE)).toMatchObject(CLIENT_TRACE);
  });

  test('the selector gets no trace when the client has sent none', async () => {
    const headers = await askedWith({});
    expect(headers).not.toHaveProperty('traceparent');
    expect(headers).not.toHaveProperty('tracestate');
  });

  test.each([
    { traceparent: 'garbage' },
    { traceparent: '\xff', tracestate: '\xff' },
    { ...CLIENT_TRACE, traceparent: CLIENT_TRACE.traceparent.toUpperCase() },
  ])('a trace that is none goes no further, and costs no search: %j', async (headers) => {
    expect(await askedWith(headers)).not.toHaveProperty('traceparent');
  });

  test('a state that cannot be sent on costs no search', async () => {
    const headers = await askedWith({ ...CLIENT_TRACE, tracestate: 'vendor=\xff' });
    expect(headers).toMatchObject({ traceparent: CLIENT_TRACE.traceparent });
    expect(headers).not.toHaveProperty('tracestate');
  });
});
