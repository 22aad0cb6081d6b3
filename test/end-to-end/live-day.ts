import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ExchangeRecord, type MeasuredTool, PRICES, ToolCosts } from '@winnow/core';
import { TokenSet } from '@winnow/service';
import { ClientAccess } from '../../apps/proxy/src/edge/client-access.ts';
import { LiveFeed } from '../../apps/proxy/src/page/live-feed.ts';
import { livePage } from '../../apps/proxy/src/page/live-page.ts';
import { recordLine } from '../../apps/proxy/src/records/record-sink.ts';

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
    strategy: 'tool-search',
    arm: 'full',
    armReason: 'rollout_full',
    planReason: 'deferred',
    loadMode: 'bridge',
    tools: { total: 100, deferred: 95, loaded: 1 },
    toolList: { id: 'day', loaded: { [TOOLS[5 + (number % 50)]!.name]: 1 } },
    called: [TOOLS[5 + (number % 50)]!.name],
    searches: [],
    upstreamCalls: 1,
    promptBytes: 20_000,
    hiddenTurnsKnown: 0,
    sessionErrors: 0,
    toolBytes: {
      before: 82_000,
      after: 2_000,
      first: 2_000,
    },
    usage: [{ inputTokens: 5_000, outputTokens: 100, cachedInputTokens: 0, cacheWriteTokens: 0 }],
    hiddenRoundsMs: 0,
    addedMs: number % 50,
    totalMs: 100,
    status: isFailed ? 529 : 200,
    outcome: 'answered',
  };
}

/** Serves the page of a proxy that has had this number of exchanges, until it is closed. */
export async function serveDay(exchanges: number) {
  const costs = new ToolCosts();
  costs.addList('day', TOOLS);
  const feed = new LiveFeed({ prices: PRICES, since: Date.UTC(2026, 10, 24) });
  const take = (record: ExchangeRecord) => feed.takeRecord(record, recordLine(record));
  for (let number = 0; number < exchanges; number += 1) {
    take(recordOf(number));
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
  return { take, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/_winnow/`, close };
}
