import type { RegistryCallOutcome } from '@winnow/core';
import { z } from 'zod';

/** The registry's answer for the model. */
export interface ReadResult {
  readonly outcome: RegistryCallOutcome;
  readonly text: string;
}

/** Maximum length of a result, in characters; the rest is cut, and the model is told. */
const MAX_RESULT_CHARS = 32_000;

const Message = z.looseObject({
  result: z
    .looseObject({
      isError: z.boolean().optional(),
      content: z.array(z.unknown()).optional(),
      structuredContent: z.unknown().optional(),
    })
    .optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
const OtherBlock = z.looseObject({ type: z.string(), mimeType: z.string().optional() });

/**
 * Returns the `tools/call` result in an MCP message as text: text blocks as they are, and a placeholder for
 * other blocks. Undefined for any other message.
 *
 * Source: https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */
export function readResult(message: unknown): ReadResult | undefined {
  const read = Message.safeParse(message);
  if (!read.success) return undefined;
  const { error, result } = read.data;
  if (error !== undefined) return { outcome: 'tool_error', text: cut(`error: ${error.message}`) };
  if (result === undefined) return undefined;
  if (result.content === undefined && result.structuredContent === undefined) return undefined;
  const text = cut(textOf(result.content ?? [], result.structuredContent));
  if (result.isError !== true) return { outcome: 'ok', text };
  const code = CODES.find((one) => text.startsWith(`${one}: `));
  return { outcome: code ?? 'tool_error', text };
}

/** The codes with which the registry's own errors begin. */
const CODES = ['not_read_only', 'input_required'] as const;

/**
 * Returns the text of a result. Structured content repeats the texts for programs: it counts only if there
 * are none.
 */
function textOf(content: readonly unknown[], structured: unknown): string {
  const parts = content.flatMap((block) => {
    const text = TextBlock.safeParse(block);
    if (text.success) return [text.data.text];
    const other = OtherBlock.safeParse(block);
    return other.success ? [placeOf(other.data)] : [];
  });
  if (parts.length > 0) return parts.join('\n');
  return structured === undefined ? 'The tool answered with nothing.' : JSON.stringify(structured);
}

function placeOf({ type, mimeType }: z.infer<typeof OtherBlock>): string {
  const kind = [type, mimeType].flatMap((word) => word?.slice(0, 64) ?? []).join(', ');
  return `[The tool also gave something that is not text: ${kind}. It cannot be shown here.]`;
}

function cut(text: string): string {
  if (text.length <= MAX_RESULT_CHARS) return text.toWellFormed();
  const rest = text.length - MAX_RESULT_CHARS;
  return `${text.slice(0, MAX_RESULT_CHARS).toWellFormed()}\n[${rest} more characters were cut. Ask for less at once.]`;
}
