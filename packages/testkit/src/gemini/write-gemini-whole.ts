import type { CompleteAnswer } from '../upstream/complete-answer.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import { textOf } from '../upstream/read-pieces.ts';
import { geminiFinishReason } from './gemini-finish-reason.ts';
import { geminiUsage } from './gemini-usage.ts';
import { signText } from './thought-signature.ts';
import { createCallWriter } from './write-gemini-parts.ts';

/** Writes a response as one body. */
export function writeGeminiWhole(answer: CompleteAnswer, body: JsonObject): JsonObject {
  const parts = writeParts(answer, body);
  const calls = answer.parts.some(({ type }) => type === 'call');
  const candidate = {
    content: { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' },
    finishReason: geminiFinishReason(answer),
    index: 0,
    ...(calls && { finishMessage: 'Model generated function call(s).' }),
    ...answer.fields,
  };
  return {
    candidates: [candidate],
    usageMetadata: geminiUsage(answer.usage),
    modelVersion: answer.model,
    responseId: answer.id,
  };
}

/** Without calls, the last text is signed. */
function writeParts(answer: CompleteAnswer, body: JsonObject): JsonObject[] {
  const writeCall = createCallWriter(answer, body);
  const written = answer.parts.flatMap((part): JsonObject[] => {
    if (part.type === 'text') return [{ text: textOf(part.pieces) }];
    if (part.type === 'thinking') return [{ text: textOf(part.pieces), thought: true }];
    return part.type === 'call' ? [writeCall(part, textOf(part.pieces))] : [];
  });
  const last = written.at(-1);
  const isSaid = typeof last?.text === 'string' && last.thought !== true;
  return isSaid
    ? [...written.slice(0, -1), { ...last, thoughtSignature: signText(String(last.text)) }]
    : written;
}
