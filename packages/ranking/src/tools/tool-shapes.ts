/** A JSON object, for reading only. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Members in which providers wrap a tool: none (flat), `function` (OpenAI Chat), `toolSpec` (Bedrock
 * Converse).
 */
export const WRAPPERS = ['function', 'toolSpec'] as const;

/** Members that contain a tool's schema: Responses and Gemini, Anthropic, MCP and Bedrock, Gemini again. */
export const SCHEMA_KEYS = ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema'] as const;

/** Returns the value if it is a JSON object. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}
