import type { Tool } from '@winnow/core';
import type { JsonSchema } from './generate-schema.ts';

/** A tool, independent of a provider's shape. */
export interface GeneratedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** The provider whose tool objects a catalogue uses. */
export type ToolShape = 'openai' | 'anthropic' | 'mcp';

/** Every {@link ToolShape}. */
export const TOOL_SHAPES: readonly ToolShape[] = ['openai', 'anthropic', 'mcp'];

/**
 * Returns the tool in that provider's shape: OpenAI Chat Completions, Anthropic Messages, or an MCP server's
 * `tools/list`.
 */
export function toProviderTool(tool: GeneratedTool, shape: ToolShape): Record<string, unknown> {
  const { name, description, parameters } = tool;
  switch (shape) {
    case 'openai':
      return { type: 'function', function: { name, description, parameters } };
    case 'anthropic':
      return { name, description, input_schema: parameters };
    case 'mcp':
      return { name, description, inputSchema: parameters };
    default:
      return shape satisfies never;
  }
}

/**
 * Returns the tool as an entry of a search request's `tools`: the provider's own object with its name and
 * description.
 */
export function toSearchTool(tool: GeneratedTool, shape: ToolShape): Tool {
  return { name: tool.name, description: tool.description, definition: toProviderTool(tool, shape) };
}
