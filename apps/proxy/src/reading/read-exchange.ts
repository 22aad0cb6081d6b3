import type { BypassReason, LeaveReason } from '@winnow/core';
import { decodePieces, UndecodableBody } from '@winnow/service';
import { BodyBytes, type Format, type Purpose, type RequestAddress, type RequestView } from '@winnow/wire';
import { type ClientSearchRules, hasClientSearch } from './client-search.ts';
import { formatAfter } from './find-format.ts';

export interface ReadRequestOptions extends ClientSearchRules {
  /** The first format with the request's route. */
  readonly format: Format;
  readonly purpose: Purpose;
  /** The address of the request, as the client wrote it. */
  readonly address: RequestAddress;
  readonly contentEncoding: string | undefined;
  readonly searchToolName: string;
  readonly limitBytes: number;
  /** Reserves memory before use; returns false if none is left. Unlimited if missing. */
  readonly take?: (bytes: number) => boolean;
  /** Receives a defect; the request is then forwarded unchanged. */
  readonly onDefect: (error: unknown) => void;
}

/** A request that may be edited, or the reason to leave it alone, with the format that knows its body. */
export type RequestOutcome = { readonly format: Format } & (
  | { readonly ok: true; readonly view: RequestView }
  | { readonly ok: false; readonly view: RequestView | undefined; readonly reason: LeaveReason }
);

/** Decodes and reads a body. An unreadable body is left to the upstream to judge. Never rejects. */
export async function readExchange(body: BodyBytes, options: ReadRequestOptions): Promise<RequestOutcome> {
  const { format } = options;
  try {
    const decoded = await decode(body, options);
    if (decoded === undefined) return { ok: false, format, view: undefined, reason: 'short_of_memory' };
    return readDecoded(decoded, options);
  } catch (error) {
    if (error instanceof UndecodableBody)
      return { ok: false, format, view: undefined, reason: 'undecodable_body' };
    options.onDefect(error);
    return { ok: false, format, view: undefined, reason: 'plan_failed' };
  }
}

/**
 * Returns the same bytes if they are not encoded; undefined if memory for the decoded body is unavailable.
 */
async function decode(
  body: BodyBytes,
  { contentEncoding, limitBytes, take = () => true }: ReadRequestOptions,
): Promise<BodyBytes | undefined> {
  // Only an encoded body must be in one piece.
  if (contentEncoding === undefined) return body;
  const { whole } = body;
  let size = 0;
  const takePiece = (bytes: number) => {
    size += bytes;
    if (size > limitBytes) throw new UndecodableBody('the body decodes to more than the limit');
    return take(bytes);
  };
  const pieces = await decodePieces(whole, contentEncoding, takePiece);
  if (pieces === undefined) return undefined;
  return pieces[0] === whole ? body : new BodyBytes(pieces);
}

function readDecoded(decoded: BodyBytes, options: ReadRequestOptions): RequestOutcome {
  const { format, purpose, address, searchToolName, take } = options;
  const reading = format.reading.readRequest(decoded, { purpose, searchToolName, take, ...address });
  if (!reading.ok) {
    const { reason } = reading;
    const next = reason === 'unknown_shape' ? formatAfter(format, address.path) : undefined;
    const other = next && readDecoded(decoded, { ...options, format: next });
    const isKnown = other?.ok || (other && other.reason !== 'unknown_shape');
    return isKnown ? other : { ok: false, format, view: undefined, reason };
  }
  const { view } = reading;
  const reason = view.bypass ?? findBypass(view, options);
  return reason === undefined ? { ok: true, format, view } : { ok: false, format, view, reason };
}

/** Returns the reason to leave a request alone that applies to every format. */
function findBypass(view: RequestView, rules: ReadRequestOptions): BypassReason | undefined {
  const { toolSection, toolChoice } = view;
  // The client does not know the search tool, and would be given a call to it in every round.
  if (toolChoice.names.includes(rules.searchToolName)) return 'search_tool_forced';
  const { clientSearchTools, neverClientSearch } = rules;
  const isSearching = toolSection && hasClientSearch(toolSection, clientSearchTools, neverClientSearch);
  return isSearching ? 'client_defers' : undefined;
}
