import type { JsonObject } from './json-object.ts';
import type { AnswerPart, CallPart, MessageAnswer, Piece } from './scripted-answer.ts';

/** The model says this; each piece is one delta of a stream. */
export function say(...pieces: Piece[]): AnswerPart {
  return { type: 'text', pieces };
}

/** The model thinks this; each piece is one delta of a stream. */
export function think(...pieces: Piece[]): AnswerPart {
  return { type: 'thinking', pieces };
}

/** The model calls a tool. Arguments given as an object travel in fragments of seven characters; pieces travel as given. */
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

/** Cut at whole characters, as providers do: a delta is a JSON string of its own. */
function fragmentsOf(text: string): string[] {
  return text.match(/.{1,7}/gsu) ?? [];
}
