import { connect } from 'node:net';
import { answer, callTool, createGate, playModel, type ScriptEntry, say, waitFor } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import type { Note, NotePlace } from '../../apps/proxy/src/sessions/session-store.ts';
import { continueHistory } from './continue-history.ts';
import { bodyOf, FEW_TOOLS, PATH_OF, send, type WireFormat } from './raw-client.ts';
import { readText } from './read-text.ts';
import { recordsOf, startStack } from './start-stack.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = FEW_TOOLS[9]!.name;

const searchFor = (query: string) => callTool(SEARCH_TOOL, { query });

describe.each(FORMATS)('%s: a streamed answer', (format) => {
  test('reaches the client piece by piece, each before the upstream has sent the next', async () => {
    const gates = [createGate(), createGate()] as const;
    const stack = await startStack({
      script: [answer([say('first ', waitFor(gates[0]), 'second ', waitFor(gates[1]), 'third')])],
    });
    const reader = readText(await send({ format, url: stack.proxyUrl, isStream: true }));
    await reader.until('first');
    expect(reader.text()).not.toContain('second');
    gates[0].open();
    await reader.until('second');
    expect(reader.text()).not.toContain('third');
    gates[1].open();
    await reader.end();
    expect(reader.text()).toContain('third');
  });

  test('tells what stands between not to keep it back', async () => {
    const stack = await startStack({ script: [answer([searchFor(WANTED)]), answer([callTool(WANTED)])] });
    const { headers, body } = await send({ format, url: stack.proxyUrl, isStream: true });
    await body!.cancel();
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-accel-buffering')).toBe('no');
  });

  test('lets text through while the model is still writing its search', async () => {
    const gate = createGate();
    const stack = await startStack({
      script: [
        answer([say('Let me look. '), callTool(SEARCH_TOOL, ['{"query":', waitFor(gate), `"${WANTED}"}`])]),
        answer([callTool(WANTED)]),
      ],
    });
    const reader = readText(await send({ format, url: stack.proxyUrl, isStream: true }));
    await reader.until('look');
    gate.open();
    await reader.end();
    expect(reader.text()).toContain(WANTED);
    expect(reader.text()).not.toContain(SEARCH_TOOL);
  });

  test('reads as one: one start, one end, contiguous indexes', async () => {
    const stack = await startStack({
      script: [
        answer([say('One. '), searchFor(WANTED)]),
        answer([say('Two. '), searchFor(WANTED)]),
        answer([say('Three.'), callTool(WANTED), callTool(WANTED)]),
      ],
    });
    const text = await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    if (format === 'openai') {
      expect(count(text, '"role":"assistant"')).toBe(1);
      expect(count(text, 'data: [DONE]')).toBe(1);
      expect(count(text, '"finish_reason":"tool_calls"')).toBe(1);
      expect(indexesOf(text, /"tool_calls":\[\{"index":(\d+),"id"/g)).toEqual([0, 1]);
    } else {
      expect(count(text, 'event: message_start')).toBe(1);
      expect(count(text, 'event: message_stop')).toBe(1);
      expect(count(text, '"stop_reason":"tool_use"')).toBe(1);
      expect(indexesOf(text, /"type":"content_block_start","index":(\d+)/g)).toEqual([0, 1, 2, 3, 4]);
    }
  });

  test.each(['end', 'destroy'] as const)('that is cut off (%s) ends in an error', async (type) => {
    const stack = await startStack({ script: [answer([say('half '), { type }])] });
    const reader = readText(await send({ format, url: stack.proxyUrl, isStream: true }));
    await reader.end();
    expect(reader.text()).toContain('half');
    expect(reader.text()).toMatch(format === 'openai' ? /data: \{"error":/ : /event: error/);
    expect(reader.text()).not.toMatch(/\[DONE\]|message_stop/);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'failed' }]);
  });

  test('that ends in an error of the upstream passes it on', async () => {
    const script: ScriptEntry[] = [answer([say('half '), { type: 'error', message: 'overloaded, sorry' }])];
    const stack = await startStack({ script });
    const text = await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    expect(text).toContain('overloaded, sorry');
  });

  test.each<[string, ScriptEntry]>([
    ['is refused', { kind: 'error', status: 429, message: `${SEARCH_TOOL} is too much` }],
    ['is not answered', { kind: 'hang-up' }],
    ['ends in an error', answer([{ type: 'error', message: `${SEARCH_TOOL} is too much` }])],
    ['is cut off', answer([{ type: 'destroy' }])],
  ])('whose hidden round %s ends in an error, without a trace', async (_, later) => {
    const stack = await startStack({
      script: [answer([say('half '), searchFor(WANTED)]), later],
      settings: {
        PROXY_UPSTREAMS_OPENAI_RETRY_ATTEMPTS: '0',
        PROXY_UPSTREAMS_ANTHROPIC_RETRY_ATTEMPTS: '0',
      },
    });
    const text = await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    expect(text).toContain('half');
    expect(text).toMatch(format === 'openai' ? /data: \{"error":/ : /event: error/);
    expect(text).not.toMatch(/\[DONE\]|message_stop/);
    expect(text).not.toContain(SEARCH_TOOL);
    expect(stack.upstream.requests).toHaveLength(2);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'failed', upstreamCalls: 2 }]);
  });

  test('ends its hidden round when the client leaves', async () => {
    const gate = createGate();
    const stack = await startStack({
      script: [answer([say('half '), searchFor(WANTED)]), answer([say(waitFor(gate), 'never')])],
    });
    const leaving = new AbortController();
    const response = await send({ format, url: stack.proxyUrl, isStream: true, signal: leaving.signal });
    const request = await stack.upstream.received(1);
    leaving.abort();
    expect(await request.answer.ended).toBe('client-left');
    await response.text().catch(() => 'gone');
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'client_gone', upstreamCalls: 2 }]);
  });

  test.each([
    ['with LF', { lineEnd: '\n' }],
    ['with CRLF', { lineEnd: '\r\n' }],
    ['byte by byte', { cut: 'bytes' }],
    ['compressed', { isGzipped: true }],
    ['with comments', { before: 'comment' }],
    ['with signs of life', { before: 'ping' }],
    ['without a final blank line', { hasNoFinalBlankLine: true }],
  ] as const)('may come %s', async (_, delivery) => {
    const script = [
      answer([say('Grüße, 世界 🌍. '), searchFor(WANTED)], { delivery }),
      answer([callTool(WANTED, { text: 'é' })], { delivery }),
    ];
    const stack = await startStack({ script });
    const text = await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    expect(text).toContain('Grüße, 世界 🌍. ');
    expect(text).toContain(WANTED);
    expect(text).not.toContain(SEARCH_TOOL);
  });

  test('ends upstream when the client leaves', async () => {
    const gate = createGate();
    const stack = await startStack({ script: [answer([say('first ', waitFor(gate), 'never')])] });
    const leaving = new AbortController();
    const reader = readText(
      await send({ format, url: stack.proxyUrl, isStream: true, signal: leaving.signal }),
    );
    await reader.until('first');
    leaving.abort();
    const request = await stack.upstream.received(0);
    expect(await request.answer.ended).toBe('client-left');
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'client_gone' }]);
  });

  test('stops the upstream while the client does not read', async () => {
    const endless = function* () {
      for (;;) yield 'x'.repeat(16_384);
    };
    const stack = await startStack({ script: [answer([{ type: 'text', pieces: endless() }])] });
    const { hostname, port } = new URL(stack.proxyUrl);
    const body = bodyOf({ format, url: '', isStream: true });
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write(
      `POST ${PATH_OF[format]} HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\nanthropic-version: 2023-06-01\r\n` +
        `authorization: Bearer k\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    const { answer: progress } = await stack.upstream.received(0);
    // Data in transit fills the system's buffers; then nothing moves. An upstream without backpressure never
    // stops.
    let held = -1;
    for (let quietTurns = 0; quietTurns < 1_000; quietTurns++) {
      if (progress.acceptedBytes !== held) quietTurns = 0;
      held = progress.acceptedBytes;
      await turn();
    }
    expect(held).toBeGreaterThan(0);
    socket.destroy();
    expect(await progress.ended).toBe('client-left');
  });
});

describe.each(FORMATS)('%s: a whole answer', (format) => {
  test('goes the same way as a stream', async () => {
    const stack = await startStack({
      script: [answer([say('One. '), searchFor(WANTED)]), answer([say('Two.'), callTool(WANTED)])],
    });
    const text = await (await send({ format, url: stack.proxyUrl })).text();
    expect(text).toContain('One. ');
    expect(text).toContain('Two.');
    expect(text).toContain(WANTED);
    expect(text).not.toContain(SEARCH_TOOL);
  });

  test('next to a search arrives before the search is resolved', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
    const model = playModel({
      turns: [
        {
          steps: [
            { searchBeside: [WANTED], thenCall: [{ name: FEW_TOOLS[0]!.name, input: {} }] },
            { thenCall: [{ name: WANTED, input: {} }] },
          ],
        },
      ],
    });
    const stack = await startStack({
      model,
      settings: { PROXY_PIPES_TOOL_DISCOVERY_ALWAYS_KEEP: FEW_TOOLS[0]!.name },
      effects: {
        deadline: () => {
          ask();
          return new AbortController().signal;
        },
        sessions: slowSessions(mayAnswer),
      },
    });
    const first = await (await send({ format, url: stack.proxyUrl })).json();
    await asked;
    const second = send({ format, url: stack.proxyUrl, more: { messages: continueHistory(format, first) } });
    letAnswer();
    expect(await (await second).text()).toContain(WANTED);
    expect(stack.upstream.rejected()).toEqual([]);
    expect(stack.upstream.requests).toHaveLength(2);
  });
});

/** A store that accepts nothing until it may. */
function slowSessions(mayAdd: Promise<void>) {
  const known = new Map<string, string>();
  return {
    isShared: false,
    read: async () => known,
    add: async (_: NotePlace, notes: readonly Note[]) => {
      await mayAdd;
      for (const { key, value } of notes) known.set(key, value);
    },
    sweep: () => {},
  };
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

function indexesOf(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map((match) => Number(match[1]));
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
