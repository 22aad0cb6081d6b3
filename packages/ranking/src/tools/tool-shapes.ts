/** A JSON object, for reading only. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Where providers put the parts of a tool: flat, under `function` (OpenAI Chat), under `toolSpec` (Bedrock Converse). */
export const WRAPPERS = ['function', 'toolSpec'] as const;

/** The members that hold a tool's schema: Responses and Gemini, Anthropic, MCP and Bedrock, Gemini again. */
export const SCHEMA_KEYS = ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema'] as const;

/** The value when it is a JSON object. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}
