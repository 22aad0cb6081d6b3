import { Tool } from '@winnow/core';
import { expect, test } from 'vitest';
import { TOOL_SHAPES, toProviderTool, toSearchTool } from '../src/tool-shapes.ts';

const tool = {
  name: 'list_branches',
  description: 'Lists branches.',
  parameters: { type: 'object', properties: { page: { type: 'integer' } } },
};

test('writes each provider’s own shape', () => {
  expect(toProviderTool(tool, 'openai')).toEqual({ type: 'function', function: tool });
  expect(toProviderTool(tool, 'anthropic')).toEqual({
    name: 'list_branches',
    description: 'Lists branches.',
    input_schema: { type: 'object', properties: { page: { type: 'integer' } } },
  });
  expect(toProviderTool(tool, 'mcp')).toEqual({
    name: 'list_branches',
    description: 'Lists branches.',
    inputSchema: { type: 'object', properties: { page: { type: 'integer' } } },
  });
});

test.each(TOOL_SHAPES)('makes an entry in the %s shape that the search contract accepts', (shape) => {
  expect(Tool.parse(toSearchTool(tool, shape))).toEqual(toSearchTool(tool, shape));
});
