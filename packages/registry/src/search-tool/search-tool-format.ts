/** Whose shape a definition has. The first one is also that of all servers that are compatible with it. */
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
