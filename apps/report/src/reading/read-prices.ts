import { readFile } from 'node:fs/promises';
import { PRICES, PriceTable, parseJson, withPrices } from '@winnow/core';
import { SourceError } from './open-source.ts';

/**
 * The prices that come with Winnow, with those of a file over them where one is named.
 *
 * @throws SourceError when the file cannot be read, or is not a table of prices; says where its first mistake is.
 */
export async function readPrices(path: string | undefined): Promise<PriceTable> {
  if (path === undefined) return PRICES;
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new SourceError(`The prices cannot be read: ${error.message}`);
  });
  const parsed = PriceTable.safeParse(parseJson(text));
  if (parsed.success) return withPrices(parsed.data);
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new SourceError(`${path} is not a table of prices${place}: ${issue?.message ?? 'it is not JSON'}.`);
}
