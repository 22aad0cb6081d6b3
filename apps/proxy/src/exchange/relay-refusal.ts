import { decodeWhole, UndecodableBody } from '@winnow/service';
import { type HiddenNames, hiddenNames, hidesCalls, type Plan, type Vendor } from '@winnow/wire';
import { headerValue } from '../http/headers.ts';
import { readUpTo } from '../http/read-up-to.ts';
import { toClientHeaders } from '../http/response-headers.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { FormatExchange } from './format-exchange.ts';

/** An error response to a request with the search tool. */
export interface Refusal extends Omit<UpstreamResponse, 'body'> {
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Maximum size of an error to read, in bytes. */
const MAX_ERROR_BYTES = 1024 * 1024;

/**
 * Passes an upstream's error on unchanged, including status and `retry-after`. If the error mentions the
 * search tool, which the client does not know, the client gets a general error with the same status instead.
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

/** Whether an error names a hidden tool. An error that cannot be decoded counts as yes. */
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
