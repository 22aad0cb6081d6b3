import type { BypassReason, LeaveReason } from '@winnow/contract';
import { decodeWhole, UndecodableBody } from '@winnow/service';
import { BodyBytes, type Format, type Purpose, type RequestAddress, type RequestView } from '@winnow/wire';
import { type ClientSearchRules, hasClientSearch } from './client-search.ts';

/** How a request's body is read. */
export interface ReadRequestOptions extends ClientSearchRules {
  readonly format: Format;
  readonly purpose: Purpose;
  /** Where the request goes, as the client wrote it. */
  readonly address: RequestAddress;
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
  | { readonly ok: false; readonly view: RequestView | undefined; readonly reason: LeaveReason };

/** Reads a body as it came, decoding it first. A body that cannot be read is the upstream's to judge. Never rejects. */
export async function readExchange(body: BodyBytes, options: ReadRequestOptions): Promise<RequestOutcome> {
  try {
    const decoded = await decode(body, options);
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

/** The very same bytes when they are not encoded. */
async function decode(
  body: BodyBytes,
  { contentEncoding, limitBytes }: ReadRequestOptions,
): Promise<BodyBytes> {
  // Only what has to be decoded has to be in one piece.
  if (contentEncoding === undefined) return body;
  const decoded = await decodeWhole(body.whole, contentEncoding, limitBytes);
  return decoded === body.whole ? body : new BodyBytes([decoded]);
}

function readDecoded(decoded: BodyBytes, options: ReadRequestOptions): RequestOutcome {
  const { format, purpose, address, searchToolName } = options;
  const reading = format.readRequest(decoded, { purpose, searchToolName, ...address });
  if (!reading.ok) return { ok: false, view: undefined, reason: reading.reason };
  const { view } = reading;
  const reason = view.bypass ?? findBypass(view, options);
  return reason === undefined ? { ok: true, view } : { ok: false, view, reason };
}

/** Why a request must be left alone that every format is asked alike. */
function findBypass(view: RequestView, rules: ReadRequestOptions): BypassReason | undefined {
  const { toolSection, toolChoice } = view;
  // The client does not know of the search tool, and would be given a call of it, round after round.
  if (toolChoice.names.includes(rules.searchToolName)) return 'search_tool_forced';
  const { clientSearchTools, neverClientSearch } = rules;
  const isSearching = toolSection && hasClientSearch(toolSection, clientSearchTools, neverClientSearch);
  return isSearching ? 'client_defers' : undefined;
}
