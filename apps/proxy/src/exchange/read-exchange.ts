import type { Format, Purpose, RequestView } from '@winnow/wire';
import type { PlanBypassReason } from '../strategies/bypass.ts';
import { decodeWhole, UndecodableBody } from '../upstream/decode-body.ts';

/** How a request's body is read. */
export interface ReadRequestOptions {
  readonly format: Format;
  readonly purpose: Purpose;
  readonly contentEncoding: string | undefined;
  readonly searchToolName: string;
  readonly limitBytes: number;
  /** Whether there is memory to read a body, given the bytes that decoding has added to it. Without it there always is. */
  readonly hasRoom?: (addedBytes: number) => boolean;
  /** Told of a defect of ours; the request is forwarded as it is. */
  readonly onDefect: (error: unknown) => void;
}

/** A request that may be edited, or why it is to be left alone. */
export type RequestOutcome =
  | { readonly ok: true; readonly view: RequestView }
  | { readonly ok: false; readonly view: RequestView | undefined; readonly reason: PlanBypassReason };

/** Reads a body as it came, decoding it first. A body that cannot be read is the upstream's to judge. Never rejects. */
export async function readExchange(body: Buffer, options: ReadRequestOptions): Promise<RequestOutcome> {
  try {
    const decoded = await decodeWhole(body, options.contentEncoding, options.limitBytes);
    const addedBytes = decoded === body ? 0 : decoded.length;
    if (options.hasRoom?.(addedBytes) === false) {
      return { ok: false, view: undefined, reason: 'short_of_memory' };
    }
    return readDecoded(decoded, options);
  } catch (error) {
    if (error instanceof UndecodableBody) return { ok: false, view: undefined, reason: 'undecodable_body' };
    options.onDefect(error);
    return { ok: false, view: undefined, reason: 'plan_failed' };
  }
}

function readDecoded(
  decoded: Buffer,
  { format, purpose, searchToolName }: ReadRequestOptions,
): RequestOutcome {
  const reading = format.readRequest(decoded, { purpose, searchToolName });
  if (!reading.ok) return { ok: false, view: undefined, reason: reading.reason };
  const { view } = reading;
  return view.bypass === undefined ? { ok: true, view } : { ok: false, view, reason: view.bypass };
}
