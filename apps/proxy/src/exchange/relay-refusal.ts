import { decodeWhole, UndecodableBody } from '@winnow/service';
import { type HiddenNames, hiddenNames, hidesCalls, type Plan, type Vendor } from '@winnow/wire';
import { headerValue } from '../http/headers.ts';
import { readUpTo } from '../http/read-up-to.ts';
import { toClientHeaders } from '../http/response-headers.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { FormatExchange } from './format-exchange.ts';

/** An error response to a request that had the search tool in it. */
export interface Refusal extends Omit<UpstreamResponse, 'body'> {
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An error is a sentence; what is longer than this is cut. */
const MAX_ERROR_BYTES = 1024 * 1024;

/**
 * Passes an upstream's error on as it is, status and `retry-after` included, unless it speaks of the search tool: then the client, which
 * knows of no such tool, gets an error of the same status in general words.
 */
export async function relayRefusal(
  refusal: Refusal,
  { response, head, format }: Pick<FormatExchange, 'response' | 'head' | 'format'>,
  plan: Plan,
): Promise<void> {
  const body = await readUpTo(refusal.body, MAX_ERROR_BYTES);
  const encoding = headerValue(refusal.headers, 'content-encoding');
  const namesSearchTool = hidesCalls(plan) && (await mayName(hiddenNames(plan), body, encoding));
  const headers = toClientHeaders(refusal.headers, namesSearchTool ? 'rewritten' : 'measured');
  const sent = namesSearchTool ? Buffer.from(generalError(format.vendor, refusal.status)) : body;
  head.write(refusal.status, [...headers, 'content-length', String(sent.length)]);
  response.end(sent);
}

/** Whether an error names a hidden tool, or cannot be decoded so that it may. */
async function mayName(hidden: HiddenNames, body: Buffer, encoding: string | undefined): Promise<boolean> {
  try {
    return hidden.areIn((await decodeWhole(body, encoding, MAX_ERROR_BYTES)).toString());
  } catch (error) {
    if (!(error instanceof UndecodableBody)) throw error;
    return true;
  }
}

function generalError(vendor: Vendor, status: number): string {
  return vendor.errorBody({ status, message: `The upstream answered with status ${status}.` });
}
