import { readFileSync } from 'node:fs';
import { PRICES, PriceTable, withPrices } from '@winnow/prices';
import { parseJson } from '@winnow/text';
import type { Settings } from '../config/config.ts';
import { LiveFeed } from './live-feed.ts';

/**
 * Opens the feed of the page; undefined if the page is switched off. `since` is the start, in milliseconds
 * since the epoch.
 *
 * @throws an error that names the setting, if the price file is invalid.
 */
export function openLiveFeed(settings: Settings, since: number): LiveFeed | undefined {
  if (!settings['page.enabled']) return undefined;
  const alwaysKeep = settings['tools.always_keep'];
  return new LiveFeed({ prices: readPrices(settings['page.prices_file']), alwaysKeep, since });
}

function readPrices(path: string): PriceTable {
  if (path === '') return PRICES;
  const parsed = PriceTable.safeParse(parseJson(readText(path)));
  if (parsed.success) return withPrices(parsed.data);
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new Error(`page.prices_file: ${path} is no table of prices${place}.`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`page.prices_file: ${(error as Error).message}`);
  }
}
