import { foldToLine, removeInvisible } from '@winnow/core';
import type { CallResult } from '../servers/mcp-servers.ts';

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
