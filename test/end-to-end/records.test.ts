import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExchangeRecord } from '@winnow/contract';
import { playModel } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const WANTED = FEW_TOOLS[9]!.name;

const searchesOnce = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});

/** A selector that finds the tool when `work` is done. */
async function startSelector(work: () => void | Promise<void>): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    incoming.resume();
    await work();
    outgoing.end(JSON.stringify({ selected_names: [WANTED] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/search`;
}

describe.each(FORMATS)('%s: the record of an exchange', (format) => {
  test.each([false, true])('tells whose time it took, streamed: %s', async (isStream) => {
    let now = 0;
    const stack = await startStack({
      model: (conversation, request) => {
        now += 1_000;
        return searchesOnce(conversation, request);
      },
      selectorUrl: await startSelector(() => {
        now += 10;
      }),
      effects: { now: () => now },
    });
    await (await send({ format, url: stack.proxyUrl, isStream })).text();
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([
      { upstreamCalls: 2, searchMs: 10, hiddenRoundsMs: 1_000, addedMs: 10, totalMs: 2_010 },
    ]);
  });

  test('does not take the time of a search that the client has not waited for', async () => {
    let now = 0;
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const stack = await startStack({
      model: playModel({
        turns: [
          {
            steps: [
              { say: 'Both.', searchBeside: [WANTED], thenCall: [{ name: FEW_TOOLS[0]!.name, input: {} }] },
            ],
          },
        ],
      }),
      selectorUrl: await startSelector(async () => {
        await answered;
        now += 10;
      }),
      settings: { PROXY_PIPES_TOOL_DISCOVERY_ALWAYS_KEEP: FEW_TOOLS[0]!.name },
      effects: { now: () => now },
    });
    await (await send({ format, url: stack.proxyUrl })).text();
    answer();
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([
      { searches: [{ outcome: 'found', ms: 10 }], searchMs: 0, addedMs: 0, totalMs: 0 },
    ]);
  });

  test('has the form that reports rely on', async () => {
    const stack = await startStack({ model: searchesOnce });
    await (await send({ format, url: stack.proxyUrl })).text();
    await recordsOf(stack, 1);
    expect(ExchangeRecord.strict().parse(stack.records[0])).toEqual(stack.records[0]);
  });

  test('holds the text of searches only when the operator wants it', async () => {
    const model = playModel({
      turns: [{ steps: [{ searchFor: [['dig a well']], thenCall: [{ name: WANTED, input: {} }] }] }],
    });
    for (const [wanted, text] of [
      ['false', undefined],
      ['true', 'dig a well'],
    ] as const) {
      const stack = await startStack({ model, settings: { PROXY_RECORDS_QUERY_TEXT: wanted } });
      await (await send({ format, url: stack.proxyUrl })).text();
      await recordsOf(stack, 1);
      expect(stack.records[0]!.searches[0]).toMatchObject({ queryChars: 10 });
      expect(stack.records[0]!.searches[0]!.queryText).toBe(text);
    }
  });

  test('is a line of bounded length, whatever a model is called', async () => {
    const stack = await startStack({ model: playModel({ turns: [] }), isLenient: true });
    await (await send({ format, url: stack.proxyUrl, more: { model: 'm'.repeat(100_000) } })).text();
    await recordsOf(stack, 1);
    expect(JSON.stringify(stack.records[0]).length).toBeLessThan(5_000);
  });
});
