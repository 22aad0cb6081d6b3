/** Formats of tool definitions. Servers compatible with OpenAI Chat use the first one. */
export const SEARCH_TOOL_FORMATS = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'bedrock',
  'mcp',
  'spring',
] as const;

export type SearchToolFormat = (typeof SEARCH_TOOL_FORMATS)[number];
