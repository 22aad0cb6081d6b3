import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ExchangeRecord, type MeasuredTool, PRICES, ToolCosts } from '@winnow/core';
import { type Learned, learnedText, type Suggestions, suggestionsText } from '@winnow/learning';
import { TokenSet } from '@winnow/service';
import { ClientAccess } from '../../apps/proxy/src/edge/client-access.ts';
import { LiveFeed } from '../../apps/proxy/src/page/live-feed.ts';
import { livePage } from '../../apps/proxy/src/page/live-page.ts';

/** Number of exchanges that the page holds. */
export const DAY = 10_000;

const MODELS = ['claude-opus-5', 'gpt-5.4', 'gemini-3-pro', undefined];

/** The tools of every exchange, of four servers and of none. */
const TOOLS = Array.from({ length: 100 }, (_, number): MeasuredTool => {
  const server = ['mcp__github__', 'crm__', 'files.', 'mcp__mail__', ''][number % 5];
  return { name: `${server}tool_${number}`, bytes: 400 + number, ...(number < 5 && { kept: true as const }) };
});

/** Returns the record of the exchange with this number, one of a day's. */
export function recordOf(number: number): ExchangeRecord {
  const isFailed = number % 97 === 0;
  const model = MODELS[number % MODELS.length];
  return {
    version: 1,
    event: 'exchange',
    time: new Date(Date.UTC(2026, 10, 24) + number * 8_640).toISOString(),
    requestId: `request-${number}`,
    upstream: 'anthropic',
    format: 'anthropic-messages',
    ...(model !== undefined && { model }),
    isStream: true,
    strategy: 'tool-search',
    arm: 'full',
    armReason: 'rollout_full',
    planReason: 'deferred',
    loadMode: 'bridge',
    tools: { total: 100, kept: 5, deferred: 95, loaded: 1 },
    toolList: { id: 'day', requests: 1, loaded: [{ name: TOOLS[5 + (number % 50)]!.name, requests: 1 }] },
    called: [TOOLS[5 + (number % 50)]!.name],
    searches: [],
    upstreamCalls: 1,
    firstRequestBytes: 20_000,
    hiddenTurnsKnown: 0,
    sessionErrors: 0,
    toolBytes: {
      before: 82_000,
      after: 2_000,
      first: 2_000,
      estimatedTokensBefore: 20_500,
      estimatedTokensAfter: 500,
    },
    usage: { inputTokens: 5_000, outputTokens: 100, cachedInputTokens: 0, cacheWriteTokens: 0 },
    planMs: 1,
    sessionMs: 0,
    searchMs: 0,
    hiddenRoundsMs: 0,
    addedMs: number % 50,
    totalMs: 100,
    status: isFailed ? 529 : 200,
    outcome: 'answered',
  };
}

const AGENT = { agent: 'claude-cli', upstream: 'anthropic', model: 'claude-opus-5' };

const supportOf = (conversations: number, of: number) => ({
  ...{ conversations, of, clients: 4 },
  withoutOne: { conversations, of, least: 0.5, most: 0.5 },
});

const SUGGESTIONS: Suggestions = {
  ...AGENT,
  conversations: 200,
  clients: 4,
  keptPatterns: [],
  keep: [
    { tool: TOOLS[7]!.name, bytes: 1_200, called: supportOf(150, 200), searchedFirst: supportOf(90, 200) },
    {
      tool: '<img src=x onerror="window.owned = true">',
      bytes: 4_000,
      called: supportOf(120, 200),
      searchedFirst: supportOf(0, 200),
    },
  ],
  release: [{ tool: TOOLS[1]!.name, bytes: 2_000, called: supportOf(0, 200) }],
  unused: [{ tool: TOOLS[9]!.name, bytes: 12_000, called: supportOf(0, 1_200) }],
  words: [{ tool: TOOLS[7]!.name, words: [{ word: 'backlog', conversations: 12 }] }],
  unanswered: [{ hash: 'abcd0123', support: supportOf(9, 200) }],
};

const LEARNED: Learned = {
  version: 1,
  appliedAt: Date.UTC(2026, 10, 24, 8),
  agents: [
    {
      ...AGENT,
      keep: [
        {
          name: TOOLS[7]!.name,
          because: 'needed',
          evidence: 'called in 150 of 200 conversations, by 4 clients',
        },
      ],
      words: { [TOOLS[7]!.name]: ['backlog'] },
    },
  ],
  refused: [],
};

/** Serves the page of a proxy that has had this number of exchanges, until it is closed. */
export async function serveDay(exchanges: number) {
  const costs = new ToolCosts();
  costs.addList('day', TOOLS);
  const feed = new LiveFeed({ prices: PRICES, since: Date.UTC(2026, 10, 24) });
  for (let number = 0; number < exchanges; number += 1) {
    feed.takeRecord(recordOf(number));
    costs.add(recordOf(number));
  }
  const page = livePage({
    feed,
    access: {
      clients: new ClientAccess({ tokens: [], allowedHosts: [], allowedOrigins: [] }),
      pageTokens: new TokenSet([]),
    },
    states: () => ({ breaker: 'closed', sessionStore: 'redis', isSessionStoreUp: true, openExchanges: 0 }),
    about: { version: '1', strategy: 'tool-search', mode: 'full' },
    withContent: false,
    isDraining: () => false,
    toolCosts: () => costs.result(),
    learning: {
      applied: () => learnedText(LEARNED, { file: 'winnow.learned.json', withContent: false }),
      suggestions: async () => suggestionsText([SUGGESTIONS]),
    },
    every: (intervalMs, callBack) => {
      const timer = setInterval(callBack, intervalMs);
      return () => clearInterval(timer);
    },
    pause: async () => {},
  });
  const server = createServer((incoming, outgoing) => {
    if (!page(incoming, outgoing)) outgoing.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { feed, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/_winnow/`, close };
}
