import type { PriceTable } from '@winnow/core';
import type { Settings } from '../config/config.ts';
import { LiveFeed } from './live-feed.ts';

/**
 * Opens the feed of the page; undefined if the page is switched off. `since` is the start, in milliseconds
 * since the epoch.
 */
export function openLiveFeed(settings: Settings, prices: PriceTable, since: number): LiveFeed | undefined {
  if (!settings['page.enabled']) return undefined;
  return new LiveFeed({ prices, since });
}
