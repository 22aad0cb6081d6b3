import { z } from 'zod';

/** The provider format of tool definitions. `openai-chat` also covers Mistral and all compatible servers. */
export const SearchToolFormatName = z.enum([
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'bedrock',
  'mcp',
  'spring',
]);
