import type { CompleteAnswer, CompletePart, IdentifiedCall } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { writePieces } from '../upstream/read-pieces.ts';
import type { SseEvent, StreamItem } from '../upstream/stream-item.ts';
import { fieldOf } from './field-of.ts';
import { geminiFinishReason } from './gemini-finish-reason.ts';
import { geminiUsage } from './gemini-usage.ts';
import { objectIn } from './normal-turns.ts';
import { signText } from './thought-signature.ts';
import { createCallWriter, type WriteCall } from './write-gemini-parts.ts';

/** Writes one chunk with these parts. */
type WriteChunk = (parts: readonly JsonObject[], finishReason?: string) => SseEvent;

/**
 * Writes a response as Gemini streams it: each chunk is a whole response with only the new parts. A call is
 * one part, unless the request asks for its arguments in pieces. The last chunk carries the finish reason and
 * signs the text.
 */
export function* writeGeminiStream(answer: CompleteAnswer, body: JsonObject): Generator<StreamItem> {
  const chunk = chunkWriter(answer);
  const writeCall = createCallWriter(answer, body);
  let said = '';
  for (const part of answer.parts) {
    for (const item of writePart(part, { chunk, writeCall, body })) yield item;
    said = part.type === 'text' ? 'text' : part.type === 'call' ? 'call' : said;
  }
  const signature = said === 'text' && { thoughtSignature: signText(answer.id) };
  yield chunk([{ text: '', ...signature }], geminiFinishReason(answer));
}

function chunkWriter(answer: CompleteAnswer): WriteChunk {
  const { id, model, usage, fields } = answer;
  let count = 0;
  return (parts, finishReason) => {
    count += 1;
    const candidate = {
      content: { parts, role: 'model' },
      ...(finishReason !== undefined && { finishReason }),
      index: 0,
      ...(finishReason !== undefined && fields),
    };
    // Running totals; the last chunk has those of the whole response.
    const said = finishReason === undefined ? Math.min(count, usage.outputTokens) : usage.outputTokens;
    const data = {
      candidates: [candidate],
      usageMetadata: geminiUsage({ ...usage, reasoningTokens: 0 }, said),
      modelVersion: model,
      responseId: id,
    };
    return { type: 'event', data: JSON.stringify(data) };
  };
}

interface PartContext {
  readonly chunk: WriteChunk;
  readonly writeCall: WriteCall;
  readonly body: JsonObject;
}

function* writePart(part: CompletePart, { chunk, writeCall, body }: PartContext): Generator<StreamItem> {
  switch (part.type) {
    case 'text':
      yield* writePieces(part.pieces, (text) => chunk([{ text }]));
      break;
    case 'thinking':
      yield* writePieces(part.pieces, (text) => chunk([{ text, thought: true }]));
      break;
    case 'call':
      yield* writeCallParts(part, { chunk, writeCall, body });
      break;
    case 'block':
      break;
    default:
      yield part;
  }
}

/** Interruptions between fragments of the arguments happen before the call, which arrives in one part. */
function* writeCallParts(
  part: IdentifiedCall,
  { chunk, writeCall, body }: PartContext,
): Generator<StreamItem> {
  let text = '';
  for (const piece of part.pieces) {
    if (typeof piece === 'string') text += piece;
    else yield piece;
  }
  const whole = writeCall(part, text);
  if (!asksForPieces(body)) {
    yield chunk([whole]);
    return;
  }
  const { functionCall, ...more } = whole;
  const { args, ...head } = functionCall as JsonObject;
  yield chunk([{ functionCall: { ...head, willContinue: true }, ...more }]);
  for (const partialArgs of piecesOf(args, '$')) {
    yield chunk([{ functionCall: { partialArgs: [partialArgs], willContinue: true } }]);
  }
  yield chunk([{ functionCall: {} }]);
}

function asksForPieces(body: JsonObject): boolean {
  const config = objectIn(objectIn(body, 'toolConfig') ?? {}, 'functionCallingConfig');
  return config !== undefined && fieldOf(config, 'streamFunctionCallArguments') === true;
}

/**
 * Yields the values of arguments with their paths. A string arrives in pieces, the last of which is empty.
 */
function* piecesOf(value: unknown, jsonPath: string): Generator<JsonObject> {
  if (Array.isArray(value)) {
    for (const [at, element] of value.entries()) yield* piecesOf(element, `${jsonPath}[${at}]`);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* piecesOf(member, `${jsonPath}.${name}`);
  } else if (typeof value === 'string') {
    for (const stringValue of value.match(/.{1,7}/gsu) ?? [])
      yield { jsonPath, stringValue, willContinue: true };
    yield { jsonPath, stringValue: '' };
  } else if (typeof value === 'number') yield { jsonPath, numberValue: value };
  else if (typeof value === 'boolean') yield { jsonPath, boolValue: value };
  else yield { jsonPath, nullValue: 'NULL_VALUE' };
}
