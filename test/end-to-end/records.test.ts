import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExchangeRecord, type MeasuredTool, type ToolListRecord } from '@winnow/core';
import { readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { answer, createGate, playModel, say, startUpstream } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { selects, startFakeSelector } from './fake-selector.ts';
import { FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const WANTED = FEW_TOOLS[9]!.name;

const searchesOnce = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});

/** A selector that finds the tool when `work` is done. */
const startSelector = (work: () => void | Promise<void>) =>
  startFakeSelector(async (incoming, outgoing) => {
    await work();
    selects(WANTED)(incoming, outgoing);
  });

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
      { upstreamCalls: 2, hiddenRoundsMs: 1_000, addedMs: 10, totalMs: 2_010 },
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
      { searches: [{ outcome: 'found', ms: 10 }], addedMs: 0, totalMs: 0 },
    ]);
  });

  test('has the id that the selector is given', async () => {
    const ids: unknown[] = [];
    const stack = await startStack({
      model: searchesOnce,
      selectorUrl: await startFakeSelector((incoming, outgoing) => {
        ids.push(incoming.headers['x-request-id']);
        selects(WANTED)(incoming, outgoing);
      }),
    });
    await (await send({ format, url: stack.proxyUrl })).text();
    await recordsOf(stack, 1);
    expect(ids).toEqual([stack.records[0]!.requestId]);
  });

  test('has the form that reports rely on', async () => {
    const stack = await startStack({ model: searchesOnce });
    await (await send({ format, url: stack.proxyUrl })).text();
    await recordsOf(stack, 1);
    expect(ExchangeRecord.strict().parse(stack.records[0])).toEqual(stack.records[0]);
  });

  test('tells which tools its requests have shown, down to their bytes', async () => {
    const stack = await startStack({
      model: searchesOnce,
      settings: { PROXY_PIPES_TOOL_DISCOVERY_ALWAYS_KEEP: FEW_TOOLS[0]!.name },
    });
    for (let exchange = 0; exchange < 2; exchange++)
      await (await send({ format, url: stack.proxyUrl })).text();
    await recordsOf(stack, 2);
    expect(stack.lists).toHaveLength(1);
    const [{ toolList, toolBytes, upstreamCalls }] = stack.records as [ExchangeRecord];
    const [{ tools, ...list }] = stack.lists as [ToolListRecord];
    expect(list).toEqual({ version: 1, event: 'tool_list', time: expect.any(String), id: toolList!.id });
    const loaded = Object.keys(toolList!.loaded!);
    expect(upstreamCalls).toBe(2);
    expect(new Set(Object.values(toolList!.loaded!))).toEqual(new Set([1]));
    expect(loaded).toContain(WANTED);
    const bytesOf = (isCounted: (tool: MeasuredTool) => boolean | undefined) =>
      tools.filter(isCounted).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(bytesOf(() => true)).toBe(toolBytes.before);
    const searchTool = toolBytes.first! - bytesOf(({ kept }) => kept);
    expect(toolBytes.after).toBe(2 * toolBytes.first! + bytesOf(({ name }) => loaded.includes(name)));
    expect(searchTool).toBeGreaterThan(0);
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

describe('the file of records', () => {
  test('may be impossible to write: the log says so once, and exchanges continue', async () => {
    const stack = await startStack({
      model: searchesOnce,
      settings: { PROXY_RECORDS_FILE: '/dev/null/records.jsonl' },
    });
    for (let time = 0; time < 3; time++) {
      expect((await send({ format: 'openai', url: stack.proxyUrl })).status).toBe(200);
    }
    await recordsOf(stack, 3);
    while (stack.events.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(stack.events).toEqual([
      {
        time: expect.any(String),
        event: 'record_file_down',
        problem: 'ENOTDIR',
        file: '/dev/null/records.jsonl',
      },
    ]);
  });

  test('has the record of every exchange when the proxy has ended, of those that it cut off too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'winnow-records-'));
    const gate = createGate();
    const upstream = await startUpstream({
      isLenient: true,
      model: async ({ turns }) => {
        if (JSON.stringify(turns).includes('wait')) await gate.opened;
        return answer([say('Yes.')]);
      },
    });
    const outcome = readConfig({
      environment: {
        PROXY_SERVER_PORT: '0',
        PROXY_SERVER_DRAIN_TIMEOUT: '0s',
        PROXY_RECORDS_FILE: join(folder, 'records.jsonl'),
        PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
      },
    });
    if (!outcome.ok) throw new Error(outcome.problems.join(' '));
    const proxy = await startProxy(
      outcome.config,
      systemEffects(() => {}),
    );
    onTestFinished(async () => {
      gate.open();
      await proxy.close();
      await upstream.close();
      rmSync(folder, { recursive: true });
    });
    const users = ['now', 'now', ...Array<string>(20).fill('wait')];
    const answers = users.map((user, number) =>
      send({ format: 'openai', url: proxy.url, user: `${user} ${number}`, isStream: true }).then(
        (response) => response.text(),
        () => 'cut off',
      ),
    );
    await Promise.all(answers.slice(0, 2));
    while (upstream.requests.length < users.length) await new Promise((resolve) => setImmediate(resolve));
    await proxy.close();
    const lines = readFileSync(join(folder, 'records.jsonl'), 'utf8').trimEnd().split('\n');
    const exchanges = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'exchange');
    const outcomes = exchanges.map((record) => ExchangeRecord.parse(record).outcome);
    expect(outcomes).toEqual(['answered', 'answered', ...Array(20).fill('client_gone')]);
  });
});
