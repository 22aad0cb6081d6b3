import { tokenizeTelling } from '@winnow/ranking';
import { describe, expect, it } from 'vitest';
import { keepCount, learnTokens, relevance, scoreTool } from '../src/strategies/relevance.ts';
import { type RequestParts, type TestTool, viewOf } from './request-view.ts';

const limits = { minTools: 5, maxTools: 25, targetRatio: 0.8 };

describe('keepCount', () => {
  it.each([
    [0, 0],
    [1, 1],
    [4, 4],
    [5, 5],
    [6, 5],
    [7, 5],
    [8, 6],
    [9, 7],
    [10, 8],
    [20, 16],
    [31, 24],
    [32, 25],
    [33, 25],
    [100, 25],
    [1_000, 25],
  ])('of %d tools keeps %d', (total, kept) => {
    expect(keepCount(total, limits)).toBe(kept);
  });

  it.each([
    [10, { ...limits, targetRatio: 0 }, 5],
    [10, { ...limits, targetRatio: 1 }, 10],
    [10, { ...limits, minTools: 0, targetRatio: 0 }, 0],
    [10, { ...limits, minTools: 0, targetRatio: 0.19 }, 1],
    [100, { ...limits, targetRatio: 0.29 }, 25],
    [100, { minTools: 0, maxTools: 100, targetRatio: 0.29 }, 28],
    [40, { minTools: 30, maxTools: 35, targetRatio: 0.1 }, 30],
    [40, { minTools: 2, maxTools: 3, targetRatio: 0.9 }, 3],
  ])('of %d tools with %o keeps %d', (total, other, kept) => {
    expect(keepCount(total, other)).toBe(kept);
  });
});

interface Score {
  readonly query: string;
  readonly tool: TestTool;
  readonly loaded?: readonly string[];
  readonly alwaysKeep?: readonly string[];
  readonly recentlyUsed?: readonly string[];
}

function scoreOf({ query, tool, loaded = [], alwaysKeep = [], recentlyUsed = [] }: Score): number {
  return scoreTool(viewOf({ tools: [tool] }).tools[0]!, {
    query: query.toLowerCase(),
    queryTokens: new Set(tokenizeTelling(query)),
    loaded: new Set(loaded),
    isAlwaysKept: (name) => alwaysKeep.includes(name),
    recentlyUsed: new Set(recentlyUsed),
  });
}

describe('scoreTool', () => {
  it.each<[string, Score, number]>([
    ['nothing in common', { query: 'weather', tool: 'send_email' }, 0],
    ['loaded earlier', { query: 'weather', tool: 'send_email', loaded: ['send_email'] }, 1_000],
    ['always kept', { query: 'weather', tool: 'send_email', alwaysKeep: ['send_email'] }, 100],
    ['recently used', { query: 'weather', tool: 'send_email', recentlyUsed: ['send_email'] }, 100],
    [
      'loaded, always kept and recently used',
      {
        query: 'x',
        tool: 'send_email',
        loaded: ['send_email'],
        alwaysKeep: ['send_email'],
        recentlyUsed: ['send_email'],
      },
      1_200,
    ],
    ['one shared token', { query: 'email', tool: 'send_email' }, 10],
    // `send`, `email` and the whole `sendemail`, and the name itself.
    ['its name in the query', { query: 'please use send_email', tool: 'send_email' }, 80],
    ['its name in other capitals', { query: 'Send_Email', tool: 'send_email' }, 80],
    ['its name inside a word', { query: 'pingpong', tool: 'ping' }, 50],
    ['a token twice in the query', { query: 'email email emails', tool: 'send_email' }, 10],
    ['a token twice in the tool', { query: 'email', tool: { name: 'email', description: 'email' } }, 60],
    ['the description', { query: 'courier', tool: { name: 'x1', description: 'A courier brings it.' } }, 10],
    ['a parameter', { query: 'recipient', tool: { name: 'x1', parameters: ['recipient'] } }, 10],
    [
      'a parameter in camel case',
      { query: 'recipient', tool: { name: 'x1', parameters: ['mailRecipient'] } },
      10,
    ],
    ['another form of the word', { query: 'sending emails', tool: 'send_email' }, 20],
    [
      'stop words alone in common',
      { query: 'the weather of it', tool: { name: 'x1', description: 'the top of it' } },
      0,
    ],
    ['accents', { query: 'cafe', tool: { name: 'x1', description: 'Un café' } }, 10],
    ['another script', { query: 'погода', tool: { name: 'x1', description: 'Погода в городе' } }, 10],
    ['an empty query', { query: '', tool: 'send_email' }, 0],
  ])('counts %s', (_, score, points) => {
    expect(scoreOf(score)).toBe(points);
  });
});

const RULES = { maxNamed: 25, minDeferredTokens: 0 };

interface PlanCase extends RequestParts {
  readonly loaded?: readonly string[];
  readonly alwaysKeep?: readonly string[];
}

function keptBy({ loaded = [], alwaysKeep = [], ...parts }: PlanCase): string[] {
  const view = viewOf(parts);
  const options = { ...RULES, alwaysKeep, minTools: 2, maxTools: 3, targetRatio: 0.8 };
  const plan = relevance.plan({ view, loaded, preloaded: [], loadMode: 'swap' }, options);
  expect(plan.searchTool).toBeUndefined();
  return view.tools.map((tool) => tool.name!).filter((name) => !plan.defer.includes(name));
}

const LETTERS = ['a1', 'b2', 'c3', 'd4', 'e5', 'f6'];

describe('relevance', () => {
  it.each<[string, PlanCase, string[]]>([
    ['the first ones when all score the same', { tools: LETTERS }, ['a1', 'b2', 'c3']],
    ["the best, in the client's order", { tools: LETTERS, user: 'f6 and d4' }, ['a1', 'd4', 'f6']],
    ['everything when there are few', { tools: ['a1', 'b2'] }, ['a1', 'b2']],
    ['tools that the session has loaded', { tools: LETTERS, loaded: ['f6'] }, ['a1', 'b2', 'f6']],
    [
      'loaded ones beyond the cap',
      { tools: LETTERS, loaded: ['c3', 'd4', 'e5', 'f6'] },
      ['c3', 'd4', 'e5', 'f6'],
    ],
    ['names to keep', { tools: LETTERS, alwaysKeep: ['f6'] }, ['a1', 'b2', 'f6']],
    [
      'names to keep beyond the cap, without pushing better matches out',
      {
        tools: LETTERS,
        loaded: ['a1', 'b2', 'c3'],
        alwaysKeep: ['f6'],
      },
      ['a1', 'b2', 'c3', 'f6'],
    ],
    [
      'a better match in addition to names to keep that fill every place',
      { tools: LETTERS, alwaysKeep: ['a1', 'b2', 'c3'], user: 'use f6' },
      ['a1', 'b2', 'c3', 'f6'],
    ],
    ['names that fit a glob', { tools: [...LETTERS, 'f7'], alwaysKeep: ['f*'] }, ['a1', 'f6', 'f7']],
    [
      'nothing for stop words alone',
      { tools: [...LETTERS, { name: 'g7', description: 'what it is' }], user: 'what is it' },
      ['a1', 'b2', 'c3'],
    ],
    [
      'tools for the end of a very long message',
      { tools: LETTERS, user: `${'log line '.repeat(9_000)} use f6` },
      ['a1', 'b2', 'f6'],
    ],
    ['tools that the history calls', { tools: LETTERS, called: ['e5'] }, ['a1', 'b2', 'e5']],
    [
      'a tool that tool_choice names',
      { tools: LETTERS, more: { tool_choice: { type: 'tool', name: 'f6' } } },
      ['a1', 'b2', 'c3', 'f6'],
    ],
    [
      'tools that the provider hosts, uncounted',
      { tools: [...LETTERS, { name: 'web_search', type: 'web_search_20250305' }] },
      ['a1', 'b2', 'c3', 'web_search'],
    ],
    [
      'a tool with a cache mark',
      { tools: [...LETTERS, { name: 'g7', isCacheMarked: true }] },
      ['a1', 'b2', 'c3', 'g7'],
    ],
  ])('keeps %s', (_, parts, kept) => {
    expect(keptBy(parts)).toEqual(kept);
  });

  it('uses the last message with text, not results', () => {
    const messages = [
      { role: 'user', content: 'use f6' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'a1', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'use d4' }] },
    ];
    expect(keptBy({ tools: LETTERS, more: { messages } })).toEqual(['a1', 'b2', 'f6']);
  });

  it('leaves the request unchanged if all tools would be kept', () => {
    const view = viewOf({ tools: ['a1', 'b2'] });
    const options = { ...RULES, alwaysKeep: [], minTools: 5, maxTools: 25, targetRatio: 0.8 };
    const plan = relevance.plan({ view, loaded: [], preloaded: [], loadMode: 'swap' }, options);
    expect(plan).toEqual({
      loadMode: 'swap',
      defer: [],
      load: [],
      searchTool: undefined,
      reason: 'few_tools',
    });
  });
});

describe('learnTokens', () => {
  it('pauses between slices of new tools, and tokenises none of them twice', async () => {
    const { tools } = viewOf({ tools: Array.from({ length: 200 }, (_, number) => `tool_${number}`) });
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    await learnTokens(tools, pause);
    expect(pauses).toBe(3);
    await learnTokens(tools, pause);
    expect(pauses).toBe(3);
  });
});
