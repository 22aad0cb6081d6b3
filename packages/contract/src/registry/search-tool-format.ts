import { z } from 'zod';

/** Whose shape definitions have. `openai-chat` is also that of Mistral and of all servers that are compatible. */
export const SearchToolFormatName = z.enum([
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'bedrock',
  'mcp',
  'spring',
]);
