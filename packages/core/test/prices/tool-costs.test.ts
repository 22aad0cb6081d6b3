import { describe, expect, test } from 'vitest';
import type { MeasuredTool, StoredRecord } from '../../src/contract/exchange-record.ts';
import { isUncalled, ToolCosts } from '../../src/index.ts';

const TOOLS: readonly MeasuredTool[] = [
  { name: 'read_file', bytes: 400, kept: true },
  { name: 'mcp__github__create_issue', bytes: 800 },
  { name: 'mcp__github__merge', bytes: 200 },
];

const found = (...names: string[]) => ({
  outcome: 'found' as const,
  names,
  ms: 1,
});

/** A record of an exchange that deferred tools of a list and ended well. */
function exchange(more: Partial<StoredRecord> = {}): StoredRecord {
  return {
    arm: 'full',
    planReason: 'deferred',
    outcome: 'answered',
    status: 200,
    time: '2026-11-27T08:00:00.000Z',
    tools: { total: 3, deferred: 2, loaded: 0 },
    searches: [],
    upstreamCalls: 1,
    toolList: { id: 'a' },
    ...more,
  } as StoredRecord;
}

const SEARCHED = exchange({
  searches: [found('mcp__github__create_issue', 'mcp__github__merge')],
  upstreamCalls: 2,
  toolList: { id: 'a', loaded: { mcp__github__create_issue: 1 } },
  called: ['mcp__github__create_issue'],
});

function tableOf(records: readonly StoredRecord[], lists: Readonly<Record<string, readonly MeasuredTool[]>>) {
  const costs = new ToolCosts();
  for (const record of records) costs.add(record);
  for (const [id, tools] of Object.entries(lists)) costs.addList(id, tools);
  return costs.result();
}

describe('the costs of tools', () => {
  test('are the tokens of each definition in each request that showed it', () => {
    const { tools, servers, listed } = tableOf([exchange(), SEARCHED], { a: TOOLS });
    expect(tools).toEqual([
      {
        name: 'read_file',
        server: '',
        tokens: 100,
        exchanges: 2,
        shown: 3,
        shownTokens: 300,
        found: 0,
        loads: 0,
        calls: 0,
        judged: 2,
        lastCall: undefined,
      },
      {
        name: 'mcp__github__create_issue',
        server: 'github',
        tokens: 200,
        exchanges: 2,
        shown: 1,
        shownTokens: 200,
        found: 1,
        loads: 1,
        calls: 1,
        judged: 2,
        lastCall: '2026-11-27T08:00:00.000Z',
      },
      expect.objectContaining({ name: 'mcp__github__merge', shown: 0, found: 1, loads: 0, calls: 0 }),
    ]);
    expect(servers).toEqual([
      expect.objectContaining({ server: '', tools: 1, uncalled: 1, shownTokens: 300 }),
      expect.objectContaining({ server: 'github', tools: 2, uncalled: 1, tokens: 250, found: 2, calls: 1 }),
    ]);
    expect(listed).toBe(2);
  });

  test('count all tools where a request showed all of them', () => {
    const { tools } = tableOf([exchange({ upstreamCalls: 2, toolList: { id: 'a', whole: 1 } })], {
      a: TOOLS,
    });
    expect(tools.map(({ name, shown }) => [name, shown])).toEqual([
      ['mcp__github__create_issue', 1],
      ['read_file', 2],
      ['mcp__github__merge', 1],
    ]);
  });

  test('do not count a tool as loaded by a search that was visible from the start', () => {
    const { tools } = tableOf(
      [
        exchange({
          searches: [found('mcp__github__merge')],
          upstreamCalls: 3,
          failedRounds: [{ reason: 'truncated' }],
          toolList: { id: 'a', loaded: { mcp__github__merge: 2 } },
        }),
      ],
      { a: TOOLS },
    );
    expect(tools.find(({ name }) => name === 'mcp__github__merge')).toMatchObject({ found: 1, loads: 0 });
  });

  test('call a tool uncalled only if its calls are known', () => {
    const unread = exchange({ planReason: 'few_savings' });
    expect(tableOf([unread], { a: TOOLS }).tools.map(isUncalled)).toEqual([false, false, false]);
    const failed = exchange({ status: 529 });
    expect(tableOf([failed], { a: TOOLS }).tools.map(isUncalled)).toEqual([false, false, false]);
    const watched = exchange({ arm: 'shadow', observation: { status: 'done' } });
    expect(tableOf([watched], { a: TOOLS }).tools.map(isUncalled)).toEqual([true, true, true]);
  });

  test('are the same whether a list comes before or after its exchanges', () => {
    const costs = new ToolCosts();
    costs.addList('a', TOOLS);
    for (const record of [SEARCHED, exchange()]) costs.add(record);
    expect(costs.result()).toEqual(tableOf([SEARCHED, exchange()], { a: TOOLS }));
    expect(costs.result()).toEqual(costs.result());
  });

  test('take the newest size of a definition, and add those of one name in one list', () => {
    const { tools } = tableOf([exchange(), exchange({ toolList: { id: 'b' } })], {
      a: TOOLS,
      b: [
        { name: 'read_file', bytes: 40, kept: true },
        { name: 'read_file', bytes: 80, kept: true },
      ],
    });
    expect(tools.find(({ name }) => name === 'read_file')).toMatchObject({
      tokens: 30,
      shown: 2,
      shownTokens: 130,
    });
  });

  test('say how many exchanges they leave out: without a list, and with one that is not known', () => {
    const { tools, unlisted, listed } = tableOf([exchange({ toolList: undefined }), SEARCHED], {});
    expect({ tools, unlisted, listed }).toEqual({ tools: [], unlisted: 2, listed: 0 });
  });
});

describe('the memory of the costs of tools', () => {
  test('is bounded by adding the oldest lists to the totals, which lose nothing', () => {
    const costs = new ToolCosts();
    for (let number = 0; number < 5_000; number++) {
      const id = `list-${number}`;
      costs.addList(id, [
        { name: 'read_file', bytes: 400, kept: true },
        { name: `x${number % 7}`, bytes: 4 },
      ]);
      costs.add(exchange({ toolList: { id }, called: ['read_file'] }));
    }
    const { tools, listed, dropped } = costs.result();
    expect(tools.slice(0, 1)).toMatchObject([{ name: 'read_file', shown: 5_000, calls: 5_000 }]);
    expect({ tools: tools.length, listed, dropped }).toEqual({ tools: 8, listed: 5_000, dropped: 0 });
    expect(costs.knows('list-0')).toBe(false);
    expect(costs.knows('list-4999')).toBe(true);
  });

  test('holds 20,000 names, and says how many others there were', () => {
    const costs = new ToolCosts();
    for (let number = 0; number < 6; number++) {
      const names = Array.from({ length: 4_000 }, (_, at) => ({ name: `t${number}_${at}`, bytes: 4 }));
      costs.addList(`list-${number}`, names);
      costs.add(exchange({ toolList: { id: `list-${number}` } }));
    }
    const { tools, dropped } = costs.result();
    expect({ tools: tools.length, dropped }).toEqual({ tools: 20_000, dropped: 4_000 });
  });

  test('holds no names that models make up', () => {
    const costs = new ToolCosts();
    costs.addList('a', TOOLS);
    costs.add(exchange({ called: ['made_up'] }));
    expect(costs.result().tools.map(({ name }) => name)).not.toContain('made_up');
  });
});
