import { answer, callTool, createGate, say, waitFor } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];

/** A whole stream whose connection stays open until the gate opens. */
async function startLingering(format: WireFormat) {
  const gate = createGate();
  const whole = await startStack({ script: [answer([say('All of it.')])] });
  const text = await (await send({ format, url: whole.proxyUrl, isStream: true })).text();
  const headers = { 'content-type': 'text/event-stream' };
  const stack = await startStack({
    settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
    script: [
      answer([callTool('gateway_search_tools', { query: FEW_TOOLS[9]!.name })]),
      { kind: 'bytes', headers, body: [text, waitFor(gate)] },
    ],
  });
  return { stack, gate, text };
}

test.each(FORMATS)(
  '%s: a stream ends with its terminal event, whatever the connection does afterwards',
  async (format) => {
    const { stack, gate } = await startLingering(format);
    const response = await send({ format, url: stack.proxyUrl, isStream: true });
    expect(await response.text()).toMatch(/All of it\.[\s\S]*(\[DONE\]|message_stop)/);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'answered' }]);
    gate.open();
  },
);

test('anthropic: pings without end after the last delta are not held', async () => {
  const { stack: whole, text } = await startLingering('anthropic');
  expect(whole.proxyUrl).toBeDefined();
  const stop = text.indexOf('event: message_stop');
  const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
  const stack = await startStack({
    settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
    script: [
      {
        kind: 'bytes',
        headers: { 'content-type': 'text/event-stream' },
        body: [text.slice(0, stop), ...Array.from({ length: 200 }, () => ping.repeat(100)), text.slice(stop)],
      },
    ],
  });
  const received = await (await send({ format: 'anthropic', url: stack.proxyUrl, isStream: true })).text();
  expect(received.match(/event: ping/g)!.length).toBeGreaterThanOrEqual(20_000);
  expect(received.match(/event: message_delta/g)).toHaveLength(1);
  expect(received.trimEnd()).toMatch(/message_stop"\}$/);
  // All but a few continued at once.
  expect(received.lastIndexOf('event: ping')).toBeGreaterThan(received.indexOf('event: message_delta'));
  expect(received.indexOf('event: ping')).toBeLessThan(received.indexOf('event: message_delta'));
});

test.each(FORMATS)(
  '%s: an error that claims to be a stream passes, for a whole response too',
  async (format) => {
    const headers = { 'content-type': 'text/event-stream' };
    for (const body of ['{"error":{"message":"Gone"}}', '<html>Gone</html>', 'Gone']) {
      for (const isStream of [true, false]) {
        const stack = await startStack({
          settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
          model: () => ({ kind: 'bytes', headers, body }),
        });
        const response = await send({ format, url: stack.proxyUrl, isStream });
        expect([response.status, await response.text()]).toEqual([200, body]);
      }
    }
  },
);

test.each(FORMATS)(
  '%s: a later round of heartbeats alone is told to a client that has seen text',
  async (format) => {
    const headers = { 'content-type': 'text/event-stream' };
    const search = callTool('gateway_search_tools', { query: FEW_TOOLS[9]!.name });
    let rounds = 0;
    const stack = await startStack({
      settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
      model: () =>
        ++rounds === 1
          ? answer([say('Let me see.'), search])
          : { kind: 'bytes', headers, body: ': ping\n\n' },
    });
    const text = await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    expect(text).toMatch(/Let me see\.[\s\S]*"error"/);
  },
);
