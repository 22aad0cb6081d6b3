import type { BypassReason, LeaveReason } from '@winnow/core';
import { decodePieces, UndecodableBody } from '@winnow/service';
import {
  BodyBytes,
  FORMATS,
  type Format,
  matchRoute,
  type Purpose,
  type RequestAddress,
  type RequestView,
  rememberBy,
  type StoredRequest,
  type ToolEntry,
  type ToolSection,
} from '@winnow/wire';

interface ReadRequestOptions {
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

/**
 * Decodes and reads a body; returns a promise only for an encoded one. An unreadable body is left to the upstream to
 * judge. Neither throws nor rejects.
 */
export function readExchange(
  body: BodyBytes,
  options: ReadRequestOptions,
): RequestOutcome | Promise<RequestOutcome> {
  const { contentEncoding } = options;
  if (contentEncoding !== undefined) return readEncoded(body, { ...options, contentEncoding });
  try {
    return readDecoded(body, options);
  } catch (error) {
    return unread(error, options);
  }
}

type EncodedOptions = ReadRequestOptions & { readonly contentEncoding: string };

async function readEncoded(body: BodyBytes, options: EncodedOptions): Promise<RequestOutcome> {
  try {
    const decoded = await decode(body, options);
    const { format } = options;
    if (decoded === undefined) return { ok: false, format, view: undefined, reason: 'short_of_memory' };
    return readDecoded(decoded, options);
  } catch (error) {
    return unread(error, options);
  }
}

/** Returns the outcome for a body that could not be read. */
function unread(error: unknown, { format, onDefect }: ReadRequestOptions): RequestOutcome {
  const isUndecodable = error instanceof UndecodableBody;
  if (!isUndecodable) onDefect(error);
  return { ok: false, format, view: undefined, reason: isUndecodable ? 'undecodable_body' : 'plan_failed' };
}

/** Decodes a body, which must be in one piece; undefined if memory for the decoded one is unavailable. */
async function decode(
  body: BodyBytes,
  { contentEncoding, limitBytes, take = () => true }: EncodedOptions,
): Promise<BodyBytes | undefined> {
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
  const isSearching = toolSection && hasClientSearch(toolSection);
  return isSearching ? 'client_defers' : undefined;
}

/** Names that clients give to their model's tool search. */
const SEARCH_NAMES: ReadonlySet<string> = new Set(['tool_search', 'ToolSearch', 'search_tools']);

/** Names of the function that calls the tools found. */
const CALL_NAMES: ReadonlySet<string> = new Set(['tool_call', 'call_tool', 'execute_tool']);

/**
 * Words in the description of a tool search; a tool that searches the web or a shop for tools does not speak
 * of loading them.
 */
const FINDS_TOOLS =
  /\b(?:find|finds|search|searches|discover|discovers|load|loads|fetch|fetches)\b[^.]{0,80}\btools?\b/i;

/**
 * Whether a client already defers tools and has its own search function. A second search would cost rounds and
 * hide the tools that the first has just shown.
 *
 * A name alone is not enough, because a shop may also have a `search_tools`: either a function that calls the
 * found tools must exist, or the description must describe a tool search.
 */
const hasClientSearch = rememberBy(({ entries }: ToolSection): boolean => {
  const functions = entries.filter(({ kind }) => kind === 'function');
  const hasCaller = functions.some(({ name }) => CALL_NAMES.has(name!));
  return functions.some((entry) => isSearch(entry, hasCaller));
});

function isSearch({ name, description }: ToolEntry, hasCaller: boolean): boolean {
  return SEARCH_NAMES.has(name!) && (hasCaller || FINDS_TOOLS.test(description.slice(0, 2_000)));
}

/** A request's format and purpose. */
export interface Route {
  readonly format: Format;
  readonly purpose: Purpose;
}

/** Returns the first format with this route; undefined if there is none. `path` has no query. */
export function findFormat(method: string, path: string): Route | undefined {
  for (const format of FORMATS) {
    const purpose = matchRoute(format.reading, method, path);
    if (purpose !== undefined) return { format, purpose };
  }
  return undefined;
}

/** Returns the next format with the same route, which may know the body where the first one does not. */
function formatAfter(format: Format, path: string): Format | undefined {
  const rest = FORMATS.slice(FORMATS.findIndex(({ name }) => name === format.name) + 1);
  return rest.find(({ reading }) => matchRoute(reading, 'POST', path) !== undefined);
}

/** A request about a response that the provider stores. */
export interface StoredRoute {
  readonly format: Format;
  /** The operation on that response. */
  readonly about: StoredRequest;
}

/** Returns the format and the operation of a request about a stored response; undefined for other requests. */
export function findStored(method: string, address: RequestAddress): StoredRoute | undefined {
  for (const format of FORMATS) {
    const about = format.capabilities.storedResponses?.matchRoute(method, address);
    if (about !== undefined) return { format, about };
  }
  return undefined;
}
