import type { Format, Purpose, RequestView } from '@winnow/wire';
import type { PlanBypassReason } from './bypass.ts';
import { decodeWhole, UndecodableBody } from './upstream/decode-body.ts';

/** How a request's body is read. */
export interface ReadRequestOptions {
  readonly format: Format;
  readonly purpose: Purpose;
  readonly contentEncoding: string | undefined;
  readonly searchToolName: string;
  readonly limitBytes: number;
}

/** A request that may be edited, or why it is to be left alone. */
export type RequestOutcome =
  | { readonly ok: true; readonly view: RequestView }
  | { readonly ok: false; readonly view: RequestView | undefined; readonly reason: PlanBypassReason };

/** Reads a body as it came, decoding it first. A body that cannot be read is the upstream's to judge. */
export async function readExchange(body: Buffer, options: ReadRequestOptions): Promise<RequestOutcome> {
  const { format, purpose, searchToolName } = options;
  const decoded = await decode(body, options);
  if (!decoded) return { ok: false, view: undefined, reason: 'undecodable_body' };
  const reading = format.readRequest(decoded, { purpose, searchToolName });
  if (!reading.ok) return { ok: false, view: undefined, reason: reading.reason };
  const { view } = reading;
  return view.bypass === undefined ? { ok: true, view } : { ok: false, view, reason: view.bypass };
}

async function decode(
  body: Buffer,
  { contentEncoding, limitBytes }: ReadRequestOptions,
): Promise<Buffer | undefined> {
  try {
    return await decodeWhole(body, contentEncoding, limitBytes);
  } catch (error) {
    if (error instanceof UndecodableBody) return undefined;
    throw error;
  }
}
