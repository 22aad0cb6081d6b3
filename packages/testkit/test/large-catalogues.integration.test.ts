import { expect, test } from 'vitest';
import { generateTools } from '../src/generate-tools.ts';
import { TOOL_SHAPES, toSearchTool } from '../src/tool-shapes.ts';

const tools = generateTools({ count: 20_000, seed: 1 });

test.each(TOOL_SHAPES)('20,000 tools in the %s shape stay under 16 MiB', (shape) => {
  const entries = tools.map((tool) => toSearchTool(tool, shape));
  const bytes = Buffer.byteLength(JSON.stringify({ pattern: 'x', tools: entries }));
  expect(bytes).toBeLessThan(16 * 1024 * 1024);
  expect(bytes / tools.length).toBeGreaterThan(700);
});

test('20,000 tools have names of their own', () => {
  expect(new Set(tools.map(({ name }) => name)).size).toBe(20_000);
});

test('10,000 tools use a few thousand words', () => {
  const text = JSON.stringify(tools.slice(0, 10_000)).toLowerCase();
  expect(new Set(text.match(/[a-z]+/g)).size).toBeGreaterThan(2_000);
});
