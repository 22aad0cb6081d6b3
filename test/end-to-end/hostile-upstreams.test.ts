import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { answer, callTool, type ScriptEntry, say } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const PIECE = 'x'.repeat(1024 * 1024);

function* repeated(start: string, piece: string, times: number): Generator<string> {
  yield start;
  for (let count = 0; count < times; count++) yield piece;
}

/** A response of these bytes, written as fast as the reader takes them. */
const bytes = (contentType: string, body: Iterable<string>): ScriptEntry => ({
  kind: 'bytes',
  headers: { 'content-type': contentType },
  body,
});

const goodAnswer = answer([say('All is well.')]);
const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;

describe.each<WireFormat>(['openai', 'anthropic'])('%s: a hostile upstream', (format) => {
  test.each<[string, boolean, ScriptEntry]>([
    ['answers without end', false, bytes('application/json', repeated('{"id":"', PIECE, 100))],
    ['streams a line without end', true, bytes('text/event-stream', repeated('data: {"id":"', PIECE, 100))],
  ])('%s, and the original bytes are sent instead', async (_, isStream, hostile) => {
    const stack = await startStack({ script: [hostile, goodAnswer] });
    const text = await (await send({ format, url: stack.proxyUrl, isStream })).text();
    expect(text).toMatch('All is well.');
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ restoredBecause: 'answer_unreadable', outcome: 'answered' }]);
    expect(stack.events.filter(({ event }) => event === 'defect')).toEqual([]);
  });

  const values = `"more":[${'[],'.repeat(300_000)}1]`;

  test.each([
    ['as they are', (text: string) => Buffer.from(text), {}],
    ['compressed', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ])(
    'answers with more values than are read, %s, which goes to the client unread',
    async (_, write, more) => {
      const body = write(`{"odd":1,${values}}`);
      const headers = { 'content-type': 'application/json', ...more };
      const stack = await startStack({ script: [{ kind: 'bytes', headers, body: [body] }, goodAnswer] });
      const response = await send({ format, url: stack.proxyUrl });
      expect(await response.text()).toBe(`{"odd":1,${values}}`);
      await recordsOf(stack, 1);
      expect(stack.records).toMatchObject([{ outcome: 'answered', upstreamCalls: 1 }]);
    },
  );

  test.each(['gateway_search_tools', String.raw`gateway\u005fsearch_tools`])(
    'answers with more values than are read and %s, and the original bytes are sent instead',
    async (name) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      const body = [gzipSync(`{${values},"name":"${name}"}`)];
      const stack = await startStack({ script: [{ kind: 'bytes', headers, body }, goodAnswer] });
      const text = await (await send({ format, url: stack.proxyUrl })).text();
      expect(text).toMatch('All is well.');
      await recordsOf(stack, 1);
      expect(stack.records).toMatchObject([{ restoredBecause: 'answer_unreadable', outcome: 'answered' }]);
    },
  );

  test('puts an event with more values than are read into a stream, which continues', async () => {
    const whole = await startStack({ script: [answer([say('All of it.')])] });
    const text = await (await send({ format, url: whole.proxyUrl, isStream: true })).text();
    const end = text.lastIndexOf('\n\n', text.length - 3) + 2;
    const odd = `data: {"type":"odd",${values}}\n\n`;
    const headers = { 'content-type': 'text/event-stream' };
    const body = [text.slice(0, end), odd, text.slice(end)];
    const stack = await startStack({ script: [{ kind: 'bytes', headers, body }] });
    const received = await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    expect(received.length).toBe(text.length + odd.length);
    expect(received).toContain(odd);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'answered', upstreamCalls: 1 }]);
  });

  test('puts a second stream that searches after the end of the first, which is not passed on', async () => {
    const search = callTool('gateway_search_tools', { query: 'x' });
    const off = { PROXY_ROLLOUT_MODE: 'off' };
    const plain = await startStack({
      script: [goodAnswer, answer([search])],
      settings: off,
      isLenient: true,
    });
    const read = async () => (await send({ format, url: plain.proxyUrl, isStream: true })).text();
    const [first, second] = [await read(), await read()];
    expect(second).toMatch('gateway_search_tools');
    const headers = { 'content-type': 'text/event-stream' };
    const stack = await startStack({ script: [{ kind: 'bytes', headers, body: [first + second] }] });
    const text = await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    expect(text).toBe(first);
  });

  test.each([false, true])('names the search tool in a header, which goes (stream: %s)', async (isStream) => {
    const headers = {
      'content-type': 'application/json',
      'x-tools': 'a, gateway_search_tools',
      'x-kept': 'yes',
    };
    const stack = await startStack({ script: [{ kind: 'bytes', headers, body: ['{"odd":1}'] }, goodAnswer] });
    const response = await send({ format, url: stack.proxyUrl, isStream });
    await response.text();
    expect(response.headers.get('x-tools')).toBeNull();
    if (!isStream) expect(response.headers.get('x-kept')).toBe('yes');
  });

  test('nests its answer deeply, which goes to the client', async () => {
    const text = `{"odd":${deep}}`;
    const stack = await startStack({ script: [bytes('application/json', [text]), goodAnswer] });
    const received = await (await send({ format, url: stack.proxyUrl })).text();
    // Formats differ in whether they retry; neither may fail because of it.
    expect(received === text || received.includes('All is well.')).toBe(true);
    expect(stack.events.filter(({ event }) => event === 'defect')).toEqual([]);
  });

  test('searches for a thousand things at once, and is shown everything', async () => {
    const calls = Array.from({ length: 1_000 }, (_, number) =>
      callTool('gateway_search_tools', { query: `thing ${number}` }),
    );
    const stack = await startStack({ script: [answer(calls), answer([callTool(WANTED)])], isLenient: true });
    const text = await (await send({ format, url: stack.proxyUrl })).text();
    expect(text).toMatch(WANTED);
    await recordsOf(stack, 1);
    expect(stack.records[0]!.searches).toHaveLength(16);
  });

  test('searches with a text that is as long as a book', async () => {
    const query = `${WANTED} ${'(a+)+$ '.repeat(200_000)}`;
    const script = [answer([callTool('gateway_search_tools', { query })]), answer([callTool(WANTED)])];
    const stack = await startStack({ script });
    const text = await (await send({ format, url: stack.proxyUrl })).text();
    expect(text).toMatch(WANTED);
  });
});

test.each<[string, (write: (text: string) => boolean) => void]>([
  [
    'answers without end',
    (write) => {
      while (write(PIECE));
    },
  ],
  ['gives endless names', (write) => write(JSON.stringify({ selected_names: ['x'.repeat(900_000)] }))],
  ['nests its answer deeply', (write) => write(`{"selected_names":${deep.slice(0, 400_000)}`)],
  [
    'gives names of prototypes',
    (write) => write('{"selected_names":["__proto__","constructor"],"__proto__":1}'),
  ],
])('a hostile selector that %s leaves the model with all tools', async (_, respond) => {
  const selector = createServer((incoming, outgoing) => {
    incoming.resume().once('end', () => {
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      respond((text) => outgoing.write(text));
      outgoing.end();
    });
  });
  await new Promise<void>((resolve) => selector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    selector.closeAllConnections();
    selector.close();
  });
  const { port } = selector.address() as AddressInfo;
  const stack = await startStack({
    selectorUrl: `http://127.0.0.1:${port}/search`,
    settings: { PROXY_UPSTREAMS_OPENAI_LOAD: 'swap' },
    script: [answer([callTool('gateway_search_tools', { query: 'x' })]), answer([callTool(WANTED)])],
  });
  expect(await (await send({ format: 'openai', url: stack.proxyUrl })).text()).toMatch(WANTED);
  const shown = JSON.stringify((stack.upstream.requests[1]!.json as { tools: unknown }).tools);
  for (const { name } of FEW_TOOLS) expect(shown).toMatch(`"${name}"`);
});
