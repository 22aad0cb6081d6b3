import type { JsonObject } from './json-object.ts';
import type { AnswerPart, CallPart, MessageAnswer, Piece } from './scripted-answer.ts';

/** A text of the model; each piece is one delta of a stream. */
export function say(...pieces: Piece[]): AnswerPart {
  return { type: 'text', pieces };
}

/** Thinking of the model; each piece is one delta of a stream. */
export function think(...pieces: Piece[]): AnswerPart {
  return { type: 'thinking', pieces };
}

/**
 * A call of a tool. Arguments given as an object are split into fragments of seven characters; given pieces
 * stay as they are.
 */
export function callTool(
  name: string,
  input: JsonObject | readonly Piece[] = {},
  more: Pick<CallPart, 'id' | 'fields'> = {},
): AnswerPart {
  const pieces = isPieces(input) ? input : fragmentsOf(JSON.stringify(input));
  return { type: 'call', name, pieces, ...more };
}

/** A message with these parts. */
export function answer(
  parts: readonly AnswerPart[],
  more: Omit<MessageAnswer, 'kind' | 'parts'> = {},
): MessageAnswer {
  return { kind: 'message', parts, ...more };
}

function isPieces(input: JsonObject | readonly Piece[]): input is readonly Piece[] {
  return Array.isArray(input);
}

/** Splits at whole characters, as providers do: each delta is a JSON string. */
function fragmentsOf(text: string): string[] {
  return text.match(/.{1,7}/gsu) ?? [];
}
