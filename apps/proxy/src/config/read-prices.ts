import { readFileSync } from 'node:fs';
import { PRICES, PriceTable, parseJson, withPrices } from '@winnow/core';

/**
 * Returns the prices that ship with Winnow, with those of the file at `path` on top; an empty path names none.
 *
 * @throws an error that names the setting, if the file is invalid.
 */
export function readPrices(path: string): PriceTable {
  if (path === '') return PRICES;
  const parsed = PriceTable.safeParse(parseJson(readText(path)));
  if (parsed.success) return withPrices(parsed.data);
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new Error(`page.prices_file: ${path} is not a table of prices${place}.`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`page.prices_file: ${(error as Error).message}`);
  }
}
