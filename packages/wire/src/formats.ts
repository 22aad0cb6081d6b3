import { anthropicBedrock } from './anthropic-messages/anthropic-bedrock.ts';
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts';
import { bedrockConverse } from './bedrock-converse/bedrock-converse.ts';
import { gemini } from './gemini/gemini.ts';
import { geminiInteractions } from './gemini-interactions/gemini-interactions.ts';
import { ollamaChat } from './ollama-chat/ollama-chat.ts';
import { openaiChat } from './openai-chat/openai-chat.ts';
import { openaiResponses } from './openai-responses/openai-responses.ts';

/**
 * Every format that Winnow reads. Where a route matches two of them, the bodies differ: the first that knows
 * the shape of a body handles it.
 */
export const FORMATS = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  gemini,
  geminiInteractions,
  ollamaChat,
  bedrockConverse,
  anthropicBedrock,
] as const;
