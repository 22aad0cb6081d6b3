import { answer, callTool, playModel, type ScriptEntry, say } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import type { Note, NotePlace } from '../../apps/proxy/src/sessions/session-store.ts';
import { continueHistory } from './continue-history.ts';
import { FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { readText } from './read-text.ts';
import { recordsOf, startStack } from './start-stack.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = FEW_TOOLS[9]!.name;

/** Settings of upstreams whose failed requests are not repeated. */
const ONCE = {
  PROXY_UPSTREAMS_OPENAI_RETRY_ATTEMPTS: '0',
  PROXY_UPSTREAMS_ANTHROPIC_RETRY_ATTEMPTS: '0',
};

const searchFor = (query: string) => callTool(SEARCH_TOOL, { query });

describe.each(FORMATS)('%s: a streamed answer', (format) => {
  test('tells what stands between not to keep it back', async () => {
    const stack = await startStack({ script: [answer([searchFor(WANTED)]), answer([callTool(WANTED)])] });
    const { headers, body } = await send({ format, url: stack.proxyUrl, isStream: true });
    await body!.cancel();
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-accel-buffering')).toBe('no');
  });

  test('that ends too early ends as it came', async () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const script = [answer([say('half '), { type: 'end' }], { id: 'x', createdSeconds: 1, usage })];
    const stack = await startStack({ script: [...script, ...script] });
    const read = async (url: string) => (await send({ format, url, isStream: true })).text();
    const text = await read(stack.proxyUrl);
    expect(text).toContain('half');
    expect(text).not.toMatch(/\[DONE\]|message_stop|error/);
    expect(text).toBe(await read(stack.upstream.url));
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'failed' }]);
  });

  test('whose hidden round is told to wait ends in that error, without a trace', async () => {
    const refused: ScriptEntry = { kind: 'error', status: 429, message: `${SEARCH_TOOL} is too much` };
    const stack = await startStack({
      script: [answer([say('half '), searchFor(WANTED)]), refused, refused],
      settings: ONCE,
    });
    const text = await (await send({ format, url: stack.proxyUrl, isStream: true })).text();
    expect(text).toContain('half');
    expect(text).toMatch(format === 'openai' ? /data: \{"error":/ : /event: error/);
    expect(text).not.toMatch(/\[DONE\]|message_stop/);
    expect(text).not.toContain(SEARCH_TOOL);
    // The client's own request is the only way to the rest.
    expect(stack.upstream.requests).toHaveLength(3);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'failed', upstreamCalls: 3 }]);
  });

  test.each<[string, ScriptEntry]>([
    ['is not answered', { kind: 'hang-up' }],
    ['ends in an error', answer([{ type: 'error', message: `${SEARCH_TOOL} is too much` }])],
  ])('whose hidden round %s ends in the response to the original request', async (_, later) => {
    const script = [answer([say('half '), searchFor(WANTED)]), later, answer([say('and whole')])];
    const stack = await startStack({ script, settings: ONCE });
    const reader = readText(await send({ format, url: stack.proxyUrl, isStream: true }));
    await reader.end();
    expect(reader.text()).toContain('half');
    expect(reader.text()).toContain('and whole');
    expect(reader.text()).toMatch(format === 'openai' ? /\[DONE\]/ : /message_stop/);
    expect(reader.text()).not.toContain(SEARCH_TOOL);
    expect(stack.upstream.requests).toHaveLength(3);
    expect(stack.upstream.requests[2]!.text).not.toContain(SEARCH_TOOL);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ upstreamCalls: 3 }]);
  });

  test('may come compressed', async () => {
    const delivery = { isGzipped: true };
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
});

describe.each(FORMATS)('%s: a whole answer', (format) => {
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
