import type { JsonObject } from '../model/json.ts';
import type { SearchToolFormat } from './search-tool-format.ts';

/** The parts of a tool definition that all providers share. */
export interface PlainDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its parameters. */
  readonly parameters: JsonObject;
}

/**
 * Writes the definition of a tool in the format of a provider's API.
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
      // The default is strict, which supports only a subset of JSON Schema.
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
