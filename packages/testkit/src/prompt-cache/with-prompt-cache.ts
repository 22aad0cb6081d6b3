import type { Model } from '../model/model.ts';
import { isJsonObject } from '../upstream/json-object.ts';
import type { RequestContent } from '../upstream/received-request.ts';
import type { AnswerPart, Usage } from '../upstream/scripted-answer.ts';
import type { PromptCache } from './prompt-cache.ts';
import { renderPrompt } from './render-prompt.ts';

/**
 * Returns a model that reports what a prompt cache held of each prompt, in the words of every format.
 * `onUsage` receives the same, with the request.
 */
export function withPromptCache(
  model: Model,
  cache: PromptCache,
  onUsage: (usage: Usage, request: RequestContent) => void = () => {},
): Model {
  return async (conversation, request) => {
    const answer = await model(conversation, request);
    if (answer.kind !== 'message' || !isJsonObject(request.json)) return answer;
    const { plainTokens, readTokens, writtenTokens } = cache.read(renderPrompt(request.route, request.json));
    const usage: Usage = {
      inputTokens: plainTokens,
      cacheReadTokens: readTokens,
      cacheWriteTokens: writtenTokens,
      outputTokens: answer.parts.reduce((sum, part) => sum + outputTokensOf(part), 0),
    };
    onUsage(usage, request);
    return { ...answer, usage };
  };
}

const BYTES_PER_TOKEN = 4;
/** Tokens of a call around its name and arguments. */
const CALL_TOKENS = 20;

function outputTokensOf(part: AnswerPart): number {
  if (!('pieces' in part)) return 0;
  let bytes = 0;
  for (const piece of part.pieces) if (typeof piece === 'string') bytes += Buffer.byteLength(piece);
  return Math.ceil(bytes / BYTES_PER_TOKEN) + (part.type === 'call' ? CALL_TOKENS : 0);
}
