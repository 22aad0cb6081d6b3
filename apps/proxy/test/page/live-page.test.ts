import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PRICES, ToolCosts } from '@winnow/core';
import { TokenSet } from '@winnow/service';
import { expect, test } from 'vitest';
import { ClientAccess } from '../../src/edge/client-access.ts';
import { LiveFeed } from '../../src/page/live-feed.ts';
import { livePage } from '../../src/page/live-page.ts';

/** A browser that reads nothing of what it is sent. */
class SlowBrowser extends EventEmitter {
  writableLength = 0;
  writableEnded = false;
  isCutOff = false;

  writeHead(): this {
    return this;
  }

  write(text: string): boolean {
    this.writableLength += text.length;
    return false;
  }

  destroy(): void {
    this.isCutOff = true;
    this.emit('close');
  }
}

test('cuts off a watcher that does not keep up, and forgets it', () => {
  const feed = new LiveFeed({ prices: PRICES, since: 0 });
  const ticks = new Map<number, () => void>();
  const page = livePage({
    feed,
    access: {
      clients: new ClientAccess({ tokens: [], allowedHosts: [], allowedOrigins: [] }),
      pageTokens: new TokenSet([]),
    },
    states: () => ({ breaker: undefined, sessionStore: 'memory', isSessionStoreUp: true, openExchanges: 0 }),
    about: { version: '1', strategy: 'api', mode: 'full' },
    withContent: false,
    isDraining: () => false,
    toolCosts: () => new ToolCosts().result(),
    every: (intervalMs, callBack) => {
      ticks.set(intervalMs, callBack);
      return () => ticks.delete(intervalMs);
    },
    pause: async () => {},
  });
  const browser = new SlowBrowser();
  const incoming = {
    method: 'GET',
    url: '/_winnow/live',
    headers: { host: 'localhost' },
    socket: { remoteAddress: '127.0.0.1' },
  };
  page(incoming as IncomingMessage, browser as unknown as ServerResponse);
  browser.writableLength = 4 * 1024 * 1024;
  ticks.get(2_000)!();
  expect([browser.isCutOff, feed.watchers]).toEqual([false, 1]);
  expect(browser.writableLength).toBeGreaterThan(4 * 1024 * 1024);
  ticks.get(2_000)!();
  expect([browser.isCutOff, feed.watchers, ticks.size]).toEqual([true, 0, 0]);
});
