import type { VendorName } from '@winnow/wire';
import { CHAT_DIALECT } from './chat-dialect.ts';
import { CONVERSE_DIALECT } from './converse-dialect.ts';
import { GEMINI_DIALECT } from './gemini-dialect.ts';
import { INTERACTIONS_DIALECT } from './interactions-dialect.ts';
import { MESSAGES_DIALECT } from './messages-dialect.ts';
import { OLLAMA_DIALECT } from './ollama-dialect.ts';
import type { ProbeDialect } from './probe-dialect.ts';
import { RESPONSES_DIALECT } from './responses-dialect.ts';

/** The dialects for each vendor's servers; the first one is the default. */
export const DIALECTS: Readonly<Record<VendorName, readonly ProbeDialect[]>> = {
  openai: [CHAT_DIALECT, RESPONSES_DIALECT],
  anthropic: [MESSAGES_DIALECT],
  gemini: [GEMINI_DIALECT, INTERACTIONS_DIALECT],
  bedrock: [CONVERSE_DIALECT],
  ollama: [OLLAMA_DIALECT, CHAT_DIALECT],
};
