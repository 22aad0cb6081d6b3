import { expect, test } from 'vitest';
import { RequestMemory } from '../src/sessions/request-memory.ts';
import type { UpstreamRequest } from '../src/upstream/send-upstream.ts';
import { engineOver } from './engine-over.ts';
import { responseOf } from './exchange-under-test.ts';

const tool = (name: string) => ({ name, description: name, input_schema: { type: 'object' } });
const MESSAGES = [{ role: 'user', content: 'hello' }];
const PLAIN = { model: 'm', max_tokens: 9, tools: [tool('a'), tool('b'), tool('c')], messages: MESSAGES };
const DEFERRING = { ...PLAIN, tools: [tool('a'), { ...tool('b'), defer_loading: true }] };
const HOSTED = {
  ...DEFERRING,
  tools: [...DEFERRING.tools, { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }],
};
const POLYFILL = { PROXY_UPSTREAMS_ANTHROPIC_POLYFILL: 'on' };
const PARTIAL = { PROXY_ROLLOUT_MODE: 'partial', PROXY_ROLLOUT_PERCENT: '1' };
const NO_MEMORY = { memory: new RequestMemory({ maxBytes: 10, heapShare: () => 0 }) };

const ANSWER = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
};

async function textOf(body: UpstreamRequest['body']): Promise<string> {
  if (body === null || body instanceof Uint8Array) return String(body);
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}

/** Sends one request through an engine; returns the upstream's requests and the record. */
async function exchangeOf(body: object, ...[environment, more]: [Record<string, string>?, object?]) {
  const sent: string[] = [];
  const engine = engineOver(
    async (request) => {
      sent.push(await textOf(request.body));
      return responseOf(200, ANSWER);
    },
    environment,
    more,
  );
  const response = await engine.post('/v1/messages', body);
  expect(await response.json()).toEqual(ANSWER);
  const [record] = await engine.reported();
  return { sent, record: record! };
}

test.each<[string, object, string, Record<string, string>?, object?]>([
  ['without memory for its body', PLAIN, 'short_of_memory', {}, NO_MEMORY],
  ['without tools', { ...PLAIN, tools: undefined }, 'no_function_tools'],
  ['outside the percentage', PLAIN, 'deferred', PARTIAL],
  ['of a client that defers, if the upstream can', DEFERRING, 'client_defers'],
])('a request %s is sent byte by byte', async (_, body, reason, environment, more) => {
  const { sent, record } = await exchangeOf(body, environment, more);
  expect(sent).toEqual([JSON.stringify(body)]);
  expect(record).toMatchObject({ planReason: reason, outcome: 'answered', upstreamCalls: 1 });
});

test('a request whose tools are deferred is edited', async () => {
  const { sent, record } = await exchangeOf(PLAIN);
  expect(sent[0]).toContain('gateway_search_tools');
  expect(record).toMatchObject({ planReason: 'deferred' });
});

test('a request of a client that defers is rewritten if the upstream cannot', async () => {
  const { sent, record } = await exchangeOf(DEFERRING, POLYFILL);
  expect(sent[0]).not.toContain('defer_loading');
  expect(sent[0]).not.toContain('gateway_search_tools');
  expect(record).toMatchObject({ planReason: 'polyfilled', upstreamCalls: 1 });
});

test('searches that a client leaves to its provider become a function if the upstream runs none', async () => {
  const { sent, record } = await exchangeOf(HOSTED, POLYFILL);
  expect(sent[0]).toContain('"tool_search_tool_regex"');
  expect(sent[0]).not.toContain('tool_search_tool_regex_20251119');
  expect(record).toMatchObject({ planReason: 'polyfilled', upstreamCalls: 1 });
});

test('without memory for its response, such a request is sent byte by byte', async () => {
  const size = JSON.stringify(HOSTED).length;
  const memory = new RequestMemory({ maxBytes: 30 * size, heapShare: () => 0 });
  const { sent, record } = await exchangeOf(HOSTED, POLYFILL, { memory });
  expect(sent).toEqual([JSON.stringify(HOSTED)]);
  expect(record.planReason).toBe('client_defers');
});

test('a response that is made in the background cannot be rewritten, nor is its request', async () => {
  const plain = { type: 'function', name: 'a', parameters: { type: 'object' } };
  const tools = [plain, { ...plain, name: 'b', defer_loading: true }, { type: 'tool_search' }];
  const sentOf = async (body: object) => {
    const sent: string[] = [];
    const engine = engineOver(
      async (request) => {
        sent.push(await textOf(request.body));
        return responseOf(200, { id: 'resp_1', object: 'response', output: [], status: 'completed' });
      },
      { PROXY_UPSTREAMS_OPENAI_POLYFILL: 'on' },
    );
    await (await engine.post('/v1/responses', body)).text();
    return sent;
  };
  const body = { model: 'm', input: 'hello', tools };
  expect((await sentOf(body))[0]).not.toContain('defer_loading');
  const inBackground = { ...body, background: true };
  expect(await sentOf(inBackground)).toEqual([JSON.stringify(inBackground)]);
});

test('a defect in rewriting leaves the request unchanged', async () => {
  const { sent, record } = await exchangeOf(
    PLAIN,
    {},
    {
      strategy: {
        search: 'local',
        plan() {
          throw new Error('a defect');
        },
      },
      onDefect: () => {},
    },
  );
  expect(sent).toEqual([JSON.stringify(PLAIN)]);
  expect(record.planReason).toBe('plan_failed');
});
