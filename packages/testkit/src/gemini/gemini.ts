import type { UpstreamCounter, UpstreamFormat } from '../upstream/upstream-format.ts';
import { GEMINI_ARRAY, GEMINI_SSE } from './gemini-framings.ts';
import { GEMINI_ID_PREFIXES } from './gemini-id-prefixes.ts';
import { modelInPath } from './model-in-path.ts';
import { readGeminiConversation } from './read-gemini-conversation.ts';
import { countedRequest, validateGeminiCount, validateGeminiRequest } from './validate-gemini-request.ts';
import { geminiStreamError, writeGeminiError } from './write-gemini-error.ts';
import { writeGeminiStream } from './write-gemini-stream.ts';
import { writeGeminiWhole } from './write-gemini-whole.ts';

/** Gemini's `generateContent` with its two kinds of stream. */
export const GEMINI: UpstreamFormat = {
  pathEnds: [':generateContent', ':streamGenerateContent'],
  framing: GEMINI_SSE,
  framingOf: ({ path }) => (/[?&]alt=sse\b/.test(path) ? GEMINI_SSE : GEMINI_ARRAY),
  modelOf: ({ path }) => modelInPath(path),
  idPrefixes: GEMINI_ID_PREFIXES,
  signs: { ping: undefined, error: geminiStreamError },
  validate: validateGeminiRequest,
  writeError: writeGeminiError,
  writeHeaders: () => ({ 'server-timing': 'gfet4t7; dur=42', vary: 'Origin, X-Origin, Referer' }),
  wantsStream: ({ path }) => /:streamGenerateContent(?:\?|$)/.test(path),
  writeWhole: writeGeminiWhole,
  writeStream: writeGeminiStream,
  readConversation: readGeminiConversation,
};

/** `POST …:countTokens`: takes contents or a whole request, and validates it by the same rules. */
export const GEMINI_COUNT_TOKENS: UpstreamCounter = {
  ...GEMINI,
  pathEnds: [':countTokens'],
  validate: validateGeminiCount,
  writeCount: (body) => {
    const totalTokens = Math.ceil(JSON.stringify(countedRequest(body)).length / 4);
    return { totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] };
  },
};
