import type { Tool } from '@winnow/contract';
import type { JsonSchema } from './generate-schema.ts';

/** A tool before any provider's shape is put on it. */
export interface GeneratedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** Whose tool object a catalogue is written in. */
export type ToolShape = 'openai' | 'anthropic' | 'mcp';

/** Every {@link ToolShape}. */
export const TOOL_SHAPES: readonly ToolShape[] = ['openai', 'anthropic', 'mcp'];

/** The tool as that provider writes it: OpenAI Chat Completions, Anthropic Messages, or an MCP server's `tools/list`. */
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

/** The tool as one entry of a search request's `tools`, its provider's own object beside its name and description. */
export function toSearchTool(tool: GeneratedTool, shape: ToolShape): Tool {
  return { name: tool.name, description: tool.description, definition: toProviderTool(tool, shape) };
}
