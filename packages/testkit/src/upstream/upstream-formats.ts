import { ANTHROPIC_COUNT_TOKENS } from '../anthropic-messages/anthropic-count-tokens.ts';
import { ANTHROPIC_MESSAGES } from '../anthropic-messages/anthropic-messages.ts';
import { ANTHROPIC_VERTEX, VERTEX_COUNT_TOKENS } from '../anthropic-messages/anthropic-vertex.ts';
import { BEDROCK_CONVERSE } from '../bedrock/bedrock-converse.ts';
import { BEDROCK_COUNT_TOKENS } from '../bedrock/bedrock-count-tokens.ts';
import { BEDROCK_INVOKE } from '../bedrock/bedrock-invoke.ts';
import { GEMINI, GEMINI_COUNT_TOKENS } from '../gemini/gemini.ts';
import { GEMINI_INTERACTIONS } from '../gemini-interactions/gemini-interactions.ts';
import { OLLAMA_CHAT } from '../ollama-chat/ollama-chat.ts';
import { OPENAI_CHAT } from '../openai-chat/openai-chat.ts';
import { OPENAI_INPUT_TOKENS } from '../openai-responses/openai-input-tokens.ts';
import { OPENAI_RESPONSES } from '../openai-responses/openai-responses.ts';
import type { UpstreamCounter, UpstreamFormat } from './upstream-format.ts';

/**
 * All formats of the scripted upstream, by the name of the route. A path belongs to the first format whose
 * suffix matches. Token counters write no messages.
 */
export const UPSTREAM_FORMATS = {
  'openai-chat': OPENAI_CHAT,
  'openai-responses': OPENAI_RESPONSES,
  'openai-input-tokens': OPENAI_INPUT_TOKENS,
  'anthropic-messages': ANTHROPIC_MESSAGES,
  'vertex-count-tokens': VERTEX_COUNT_TOKENS,
  'anthropic-vertex': ANTHROPIC_VERTEX,
  'anthropic-count-tokens': ANTHROPIC_COUNT_TOKENS,
  gemini: GEMINI,
  'gemini-count-tokens': GEMINI_COUNT_TOKENS,
  'gemini-interactions': GEMINI_INTERACTIONS,
  'ollama-chat': OLLAMA_CHAT,
  'bedrock-converse': BEDROCK_CONVERSE,
  'bedrock-invoke': BEDROCK_INVOKE,
  'bedrock-count-tokens': BEDROCK_COUNT_TOKENS,
} as const satisfies Record<string, UpstreamFormat | UpstreamCounter>;
