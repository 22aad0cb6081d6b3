import type { CallResult } from '../servers/mcp-servers.ts';
import type { CallOutcome } from './call-outcome.ts';

/** A result of one text, with structured content for programs. */
export function textResult(text: string, structuredContent?: Readonly<Record<string, unknown>>): CallResult {
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }) };
}

/** An error that a model can act on. It begins with a code, so that programs can distinguish errors. */
export function errorResult(code: CallOutcome, text: string): CallResult {
  return { ...textResult(`${code}: ${text}`), isError: true };
}
