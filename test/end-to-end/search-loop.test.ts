import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, callTool, playModel, type ScriptEntry, say } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { continueHistory } from './continue-history.ts';
import { bodyOf, FEW_TOOLS, loadBy, send, type WireFormat } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const SEARCH_TOOL = 'gateway_search_tools';
const SWAP = loadBy('swap');
const [FIRST, , , , , , , , , WANTED] = FEW_TOOLS.map(({ name }) => name) as [string, ...string[]] & string[];

const searchFor = (query: string) => callTool(SEARCH_TOOL, { query });
const usage = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });

/** A conversation in which the model searches for a tool and calls it. */
const findsIt: ScriptEntry[] = [answer([searchFor(WANTED!)]), answer([callTool(WANTED!)])];

const toolsIn = ({ json }: { json: unknown }) => JSON.stringify((json as { tools: unknown }).tools);

describe.each(FORMATS)('%s: the search loop', (format) => {
  test.each([false, true])(
    'shows the input of the last round and the output of all (streamed: %s), and records all of it',
    async (isStream) => {
      const stack = await startStack({
        script: [
          answer([searchFor(WANTED!)], { usage: usage(100, 10) }),
          answer([searchFor(FIRST)], { usage: usage(200, 20) }),
          answer([callTool(WANTED!)], { usage: usage(300, 30) }),
        ],
      });
      const more = isStream && format === 'openai' ? { stream_options: { include_usage: true } } : {};
      const text = await (await send({ format, url: stack.proxyUrl, isStream, more })).text();
      expect(text).toMatch(/"(prompt|input)_tokens":300/);
      expect(text).toMatch(format === 'openai' ? /"completion_tokens":60/ : /"output_tokens":60/);
      if (isStream && format === 'anthropic') {
        // The start of the stream, where agents read the size of their context.
        const [, start] = /^data: (.*"message_start".*)$/m.exec(text)!;
        expect(JSON.parse(start!).message.usage.input_tokens).toBe(300);
      }
      await recordsOf(stack, 1);
      expect(stack.records).toMatchObject([
        {
          usage: [100, 200, 300].map((tokens) => usage(tokens, tokens / 10)),
          searches: [{ outcome: 'found' }, { outcome: 'found' }],
          upstreamCalls: 3,
        },
      ]);
    },
  );

  test('tells the model that nothing matches, however often, and shows nothing for it', async () => {
    const stack = await startStack({
      script: [answer([searchFor('zzqx')]), answer([searchFor('qxzz')]), answer([callTool(WANTED!)])],
    });
    await (await send({ format, url: stack.proxyUrl })).text();
    const shown = stack.upstream.requests.map((request) => toolsIn(request).includes(`"${WANTED}"`));
    expect(shown).toEqual([false, false, false]);
    await recordsOf(stack, 1);
    expect(stack.records[0]!.searches.map(({ outcome }) => outcome)).toEqual(['no_match', 'no_match']);
  });

  test('finds the tools for several needs in one round, and says which of them found nothing', async () => {
    const queries = [WANTED!, 'zzqx qxzz', FIRST];
    const stack = await startStack({
      script: [answer([callTool(SEARCH_TOOL, { queries })]), answer([callTool(WANTED!), callTool(FIRST)])],
      settings: SWAP,
    });
    await (await send({ format, url: stack.proxyUrl })).text();
    expect(stack.upstream.rejected()).toEqual([]);
    const [, second] = stack.upstream.requests;
    for (const name of [WANTED, FIRST]) expect(toolsIn(second!)).toContain(`"${name}"`);
    const said = JSON.stringify((second!.json as { messages: unknown }).messages);
    expect(said).toContain('No tool matches \\"zzqx qxzz\\".');
    expect(said).toContain('Further matches, which can be called once a search for the name has found them:');
    await recordsOf(stack, 1);
    expect(stack.records[0]).toMatchObject({ upstreamCalls: 2, searches: [{ outcome: 'found' }] });
  });

  test('asks for equal queries once', async () => {
    const stack = await startStack({
      script: [
        answer([searchFor(WANTED!), searchFor(WANTED!), searchFor(FIRST)]),
        answer([callTool(WANTED!)]),
      ],
    });
    await (await send({ format, url: stack.proxyUrl })).text();
    expect(stack.upstream.rejected()).toEqual([]);
    await recordsOf(stack, 1);
    expect(stack.records[0]!.searches).toHaveLength(2);
  });

  test('ends after five rounds, with everything shown and nothing to search with', async () => {
    const stack = await startStack({
      script: [
        ...Array.from({ length: 5 }, (_, round) => answer([searchFor(`${FIRST} ${round}`)])),
        answer([callTool(WANTED!)]),
      ],
      settings: SWAP,
    });
    const text = await (await send({ format, url: stack.proxyUrl })).text();
    expect(text).toContain(WANTED);
    expect(stack.upstream.rejected()).toEqual([]);
    const tools = stack.upstream.requests.map(toolsIn);
    expect(tools.map((text) => text.includes(SEARCH_TOOL))).toEqual([true, true, true, true, true, false]);
    expect(tools[5]).toBe(JSON.stringify(JSON.parse(bodyOf({ format, url: '' })).tools));
    await recordsOf(stack, 1);
    expect(stack.records[0]!.searches.map(({ outcome }) => outcome)).toEqual([
      'found',
      'found',
      'found',
      'found',
      'limit',
    ]);
  });

  test.each([false, true])(
    'gives the answer to the original request for a model that never stops searching (streamed: %s)',
    async (isStream) => {
      for (const loadMode of ['swap', 'bridge'] as const) {
        let number = 0;
        const stack = await startStack({
          model: (_, { text }) =>
            answer([text.includes(SEARCH_TOOL) ? searchFor(`${FIRST} ${number++}`) : say('Here it is.')]),
          isLenient: true,
          settings: loadBy(loadMode),
        });
        const text = await (await send({ format, url: stack.proxyUrl, isStream })).text();
        expect(number).toBeLessThanOrEqual(7);
        expect(text).toContain('Here it is.');
        expect(text).not.toContain(SEARCH_TOOL);
        await recordsOf(stack, 1);
        expect(stack.records[0]).toMatchObject({
          outcome: 'answered',
          restoredBecause: 'later_round_failed',
        });
      }
    },
  );

  test('takes arguments that are no JSON for an empty query, and shows everything', async () => {
    const stack = await startStack({
      script: [answer([callTool(SEARCH_TOOL, ['{"query": nonsense'])]), answer([callTool(WANTED!)])],
      isLenient: true,
      settings: SWAP,
    });
    expect(await (await send({ format, url: stack.proxyUrl })).text()).toContain(WANTED);
    await recordsOf(stack, 1);
    expect(stack.records[0]).toMatchObject({ searches: [{ outcome: 'empty_query' }], tools: { loaded: 12 } });
  });

  test('passes on a call of a tool that was not searched for, and shows the tool from then on', async () => {
    const stack = await startStack({
      script: [answer([callTool(WANTED!)]), answer([say('done')]), answer([say('done')])],
      settings: SWAP,
    });
    const first = await (await send({ format, url: stack.proxyUrl })).json();
    expect(JSON.stringify(first)).toContain(WANTED);
    const messages = continueHistory(format, first);
    await (await send({ format, url: stack.proxyUrl, more: { messages } })).text();
    // Another conversation of the same user, which begins the same way, has none of it.
    await (await send({ format, url: stack.proxyUrl })).text();
    expect(stack.upstream.requests.map((request) => toolsIn(request).includes(`"${WANTED}"`))).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('drops a search that the length limit cuts off, and passes the reason on', async () => {
    const stack = await startStack({
      script: [answer([say('Let me see. '), callTool(SEARCH_TOOL, ['{"query":"half'])], { stop: 'length' })],
    });
    const text = await (await send({ format, url: stack.proxyUrl })).text();
    expect(text).toContain('Let me see. ');
    expect(text).not.toContain(SEARCH_TOOL);
    expect(text).toMatch(format === 'openai' ? /"finish_reason":"length"/ : /"stop_reason":"max_tokens"/);
    expect(stack.upstream.requests).toHaveLength(1);
  });

  test('leaves the selector when the client leaves', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const selector = createServer((incoming) => {
      incoming.resume();
      ask();
      incoming.socket.once('close', () => leave());
    });
    await new Promise<void>((resolve) => selector.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      selector.closeAllConnections();
      selector.close();
    });
    const selectorUrl = `http://127.0.0.1:${(selector.address() as AddressInfo).port}/search`;
    const stack = await startStack({ script: findsIt, selectorUrl });
    const leaving = new AbortController();
    const gone = send({ format, url: stack.proxyUrl, signal: leaving.signal }).catch(() => 'gone');
    await asked;
    leaving.abort();
    expect(await gone).toBe('gone');
    await left;
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'client_gone', upstreamCalls: 1 }]);
  });

  test('keeps the line alive while hidden rounds run', async () => {
    const beats: (() => void)[] = [];
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const stack = await startStack({
      script: [
        answer([say('Let me see. '), searchFor(WANTED!)]),
        async () => {
          ask();
          await mayAnswer;
          return answer([callTool(WANTED!)]);
        },
      ],
      effects: {
        every: (_, callBack) => {
          beats.push(callBack);
          return () => {};
        },
      },
    });
    const response = await send({ format, url: stack.proxyUrl, isStream: true });
    await asked;
    // One of them is the exchange's; the others check the store and the selector periodically.
    for (const beat of beats) beat();
    letAnswer();
    const text = await response.text();
    expect(text).toMatch(format === 'openai' ? /\n: ?\S+/ : /event: ping\n/);
    expect(text).toContain(WANTED);
  });
});

test('an upstream that refuses native loading is asked by a bridge from then on', async () => {
  const stack = await startStack({
    model: playModel({
      turns: [{ steps: [{ searchFor: [WANTED!], thenCall: [{ name: WANTED!, input: {} }] }] }],
    }),
    rejects: ({ text }) =>
      text.includes('defer_loading')
        ? { status: 400, type: 'invalid_request_error', message: 'tools.0.defer_loading: unknown' }
        : undefined,
    settings: loadBy('native'),
  });
  const ask = async () => (await send({ format: 'anthropic', url: stack.proxyUrl })).text();
  expect(await ask()).toContain(WANTED);
  expect(await ask()).toContain(WANTED);
  await recordsOf(stack, 2);
  expect(stack.records.map(({ loadMode, restoredBecause }) => [loadMode, restoredBecause])).toEqual([
    ['native', 'upstream_rejected_edit'],
    ['bridge', undefined],
  ]);
});

test('relevance sends the best tools and lets the answer through as it comes', async () => {
  const stack = await startStack({
    model: playModel({ turns: [{ steps: [{ thenCall: [{ name: WANTED!, input: {} }] }] }] }),
    settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'relevance', PROXY_PIPES_TOOL_DISCOVERY_MAX_TOOLS: '6' },
  });
  const text = await (await send({ format: 'openai', url: stack.proxyUrl, user: `use ${WANTED}` })).text();
  expect(text).toContain(WANTED);
  expect(JSON.parse(toolsIn(stack.upstream.requests[0]!))).toHaveLength(6);
  await recordsOf(stack, 1);
  expect(stack.records).toMatchObject([{ tools: { total: 12, deferred: 6 }, upstreamCalls: 1 }]);
});

test('tool-search answers searches without a selector', async () => {
  const stack = await startStack({
    script: findsIt,
    selectorUrl: 'http://127.0.0.1:9/none',
    settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
  });
  expect(await (await send({ format: 'openai', url: stack.proxyUrl })).text()).toContain(WANTED);
  await recordsOf(stack, 1);
  expect(stack.records).toMatchObject([{ searches: [{ outcome: 'found' }] }]);
});

test('every round has the headers of the client, with what native loading needs added once', async () => {
  const stack = await startStack({
    script: findsIt,
    settings: loadBy('native'),
  });
  const headers = {
    'anthropic-beta': 'mine-2026-01-01',
    'idempotency-key': 'once',
    'x-stainless-lang': 'js',
    'accept-encoding': 'br',
  };
  await (await send({ format: 'anthropic', url: stack.proxyUrl, headers })).text();
  const received = stack.upstream.requests.map((request) => request.headers);
  expect(received).toHaveLength(2);
  for (const one of received) {
    expect(String(one['anthropic-beta']).split(',')).toEqual([
      'mine-2026-01-01',
      'advanced-tool-use-2025-11-20',
    ]);
    expect(one).toMatchObject({
      'x-api-key': 'key',
      'x-stainless-lang': 'js',
      'accept-encoding': 'identity',
    });
  }
  // One key on two different bodies would be a conflict.
  expect(received.map((one) => one['idempotency-key'])).toEqual(['once', 'once-2']);
});
