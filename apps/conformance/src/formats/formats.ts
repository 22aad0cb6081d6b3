import { INVOKE_CLIENT, MESSAGES_CLIENT } from './anthropic-messages.ts';
import { CONVERSE_CLIENT } from './bedrock-converse.ts';
import type { ClientFormat, FormatName } from './client-format.ts';
import { GEMINI_CLIENT } from './gemini.ts';
import { INTERACTIONS_CLIENT } from './gemini-interactions.ts';
import { OLLAMA_CLIENT } from './ollama-chat.ts';
import { CHAT_CLIENT } from './openai-chat.ts';
import { RESPONSES_CLIENT } from './openai-responses.ts';

/** The client's side of every format. */
export const CLIENT_FORMATS: Readonly<Record<FormatName, ClientFormat>> = {
  'openai-chat': CHAT_CLIENT,
  'openai-responses': RESPONSES_CLIENT,
  'anthropic-messages': MESSAGES_CLIENT,
  gemini: GEMINI_CLIENT,
  'gemini-interactions': INTERACTIONS_CLIENT,
  'ollama-chat': OLLAMA_CLIENT,
  'bedrock-converse': CONVERSE_CLIENT,
  'bedrock-invoke': INVOKE_CLIENT,
};
