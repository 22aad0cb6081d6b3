import { foldToLine, removeInvisible } from '@winnow/core';
import type { Registry } from '@winnow/registry';
import { CallProblem } from '../servers/failures.ts';
import type { CallResult, McpServers, ServerStatus } from '../servers/mcp-servers.ts';

export const CALL_OUTCOMES = [
  /** The server gave a result. */
  'ok',
  /** The server gave a result that says it is an error. */
  'tool_error',
  /** The server asks for input before it continues. */
  'input_required',
  /** A dry run: nothing was called. */
  'dry_run',
  /** The caller sees no tool of that name. */
  'unknown_tool',
  /** Several tools have that name. */
  'ambiguous_name',
  /** The arguments do not fit the tool's schema, or the dispatch tool's own. */
  'invalid_arguments',
  /** The tool belongs to another dispatch tool. */
  'wrong_dispatch',
  /** The door allows only read-only tools, and no trusted server declares this one read-only. */
  'not_read_only',
  /** Its server does not list it, or the operator's settings keep it back. */
  'not_allowed',
  /** The tool has no backend that can be called from here. */
  'not_callable',
  /** The state of an earlier round was altered, is too old, or is of another call. */
  'invalid_request_state',
  /** Too many calls run already. */
  'overloaded',
  /** The server cannot be reached. */
  'server_unreachable',
  /** The server did not answer in time. */
  'timed_out',
  /** The client took its call back. */
  'cancelled',
  /** The server answered with an error of the protocol. */
  'refused',
  /** The server's response is not a result. */
  'bad_answer',
] as const;

export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** A call as it is counted and logged, without its arguments and result. */
export interface CallRecord {
  /** The tool that the client named, such as `call_tool`. */
  readonly via: string;
  /** Id of the called tool; undefined when it is unknown. */
  readonly id: string | undefined;
  /** The server that was asked. */
  readonly server: string | undefined;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
  /** Characters of the result as JSON; 0 when no server gave one. */
  readonly resultChars: number;
}

/** A result of one text, with structured content for programs. */
export function textResult(text: string, structuredContent?: Readonly<Record<string, unknown>>): CallResult {
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }) };
}

/** An error that a model can act on. It begins with a code, so that programs can distinguish errors. */
export function errorResult(code: CallOutcome, text: string): CallResult {
  return { ...textResult(`${code}: ${text}`), isError: true };
}

/** Scanned text for one line, as a multiple of the line's length. */
const SCANNED = 16;

/** A text on one line, cut at a grapheme when it is longer than so many characters. */
export function displayLine(text: string, maxChars: number): string {
  // The rest cannot be shown, and may be megabytes.
  return foldToLine(removeInvisible(text.slice(0, SCANNED * maxChars)), maxChars);
}

/** Servers that are named when they have no tools yet. */
const MAX_ABSENT = 5;

/** Returns sentences about servers in sight without tools so far, which may have the wanted tool. */
export function absentNotes(registry: Registry, servers: McpServers): readonly string[] {
  const absent = servers.states().filter(({ namespace, tools }) => tools === 0 && registry.sees(namespace));
  const named = (wanted: ServerStatus) =>
    absent
      .filter(({ status }) => status === wanted)
      .slice(0, MAX_ABSENT)
      .map(({ name }) => displayLine(name, 64))
      .join(', ');
  const [starting, down] = [named('connecting'), named('down')];
  return [
    ...(starting === '' ? [] : [`Still starting, their tools come later: ${starting}.`]),
    ...(down === '' ? [] : [`Not reached so far: ${down}.`]),
  ];
}

/** Servers for a registry without any: tools can be found, but not called. */
export const NO_SERVERS: McpServers = {
  states: () => [],
  state: () => undefined,
  call: (server) => Promise.reject(unknownServer(server)),
  admit: (server) => Promise.reject(unknownServer(server)),
  refusalOf: () => undefined,
  hintsOf: () => ({}),
  offersOf: () => [],
  offersVersion: 0,
  onOffersChanged: () => () => {},
  relay: (server) => Promise.reject(unknownServer(server)),
  subscribe: (server) => Promise.reject(unknownServer(server)),
  close: () => Promise.resolve(),
};

function unknownServer(server: string): CallProblem {
  return new CallProblem('unknown_server', `The server ${server} is not configured here.`);
}

/** Arguments read from a model's call, or a sentence that says how to correct them. */
export type ReadArguments<Read> =
  | { readonly ok: true; readonly read: Read }
  | { readonly ok: false; readonly message: string };

/** Features that the front door does not relay, by the method of a client. */
const BY_METHOD = {
  'logging/setLevel': 'log messages of servers',
  'resources/subscribe': 'subscriptions to resources over HTTP before revision 2026-07-28',
  'resources/unsubscribe': 'subscriptions to resources over HTTP before revision 2026-07-28',
} as const satisfies Readonly<Record<string, string>>;

/** Features that the front door does not relay, in words. */
export const NOT_RELAYED: readonly string[] = [
  ...new Set<string>(Object.values(BY_METHOD)),
  'questions of servers before revision 2026-07-28 in the middle of a call (sampling, elicitation, roots)',
  'extensions of the protocol, such as tasks',
];

/** Explains to a client why a request is not answered. */
export function explainNotRelayed(method: string): string {
  const what = Object.hasOwn(BY_METHOD, method) ? BY_METHOD[method as keyof typeof BY_METHOD] : undefined;
  const reason =
    what === undefined ? 'is not known here' : `is not relayed: the front door does without ${what}`;
  return `${method.slice(0, 100)} ${reason}.`;
}
