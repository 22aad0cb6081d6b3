import type { CallResult } from '../servers/mcp-servers.ts';
import type { CallOutcome } from './call-outcome.ts';

/** A result that is one text, and for programs what it says. */
export function textResult(text: string, structuredContent?: Readonly<Record<string, unknown>>): CallResult {
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }) };
}

/** An error that a model reads and can act upon. It begins with a code, so that programs can tell errors apart. */
export function errorResult(code: CallOutcome, text: string): CallResult {
  return { ...textResult(`${code}: ${text}`), isError: true };
}
