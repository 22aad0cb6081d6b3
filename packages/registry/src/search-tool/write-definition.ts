import type { JsonObject } from '../model/json.ts';
import type { SearchToolFormat } from './search-tool-format.ts';

/** What every provider wants to know of a tool. */
export interface PlainDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its parameters. */
  readonly parameters: JsonObject;
}

/**
 * The definition of a tool as a provider's API takes it.
 *
 * Sources: https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools,
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools,
 * https://docs.claude.com/en/api/messages#body-tools,
 * https://ai.google.dev/api/caching#FunctionDeclaration,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html,
 * https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool
 */
export function writeDefinition(
  { name, description, parameters }: PlainDefinition,
  format: SearchToolFormat,
): JsonObject {
  switch (format) {
    case 'openai-chat':
      return { type: 'function', function: { name, description, parameters } };
    case 'openai-responses':
      // Strict is the default there, and takes but a part of JSON Schema.
      return { type: 'function', name, description, parameters, strict: false };
    case 'anthropic':
      return { name, description, input_schema: parameters };
    case 'gemini':
      return { name, description, parametersJsonSchema: parameters };
    case 'bedrock':
      return { toolSpec: { name, description, inputSchema: { json: parameters } } };
    case 'mcp':
    case 'spring':
      return { name, description, inputSchema: parameters };
  }
}
