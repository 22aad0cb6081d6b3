import type { ListedTool } from '@winnow/core';
import { expect, test } from 'vitest';
import { RegistryTools } from '../../src/catalogue/catalogue-keeper.ts';

function listed(id: string, server: string | undefined, description?: string): ListedTool {
  const name = id.split(':').at(-1)!;
  return {
    id,
    tool_name: id.replace(':', '__'),
    name,
    summary: `Summary of ${name}`,
    tags: [],
    ...(server !== undefined && { server }),
    ...(description !== undefined && { definition: { name, description, inputSchema: { type: 'object' } } }),
  };
}

test('gives what an MCP server has, by the names of server and tool, and counts the rest', () => {
  const tools = new RegistryTools();
  tools.put([listed('maps:draw', 'atlas', 'Draws'), listed('local', undefined, 'Here'), listed('a:b', 'x')]);
  expect(tools.size).toBe(3);
  expect(tools.offered()).toEqual([
    { server: 'x', name: 'b', description: 'Summary of b', inputSchema: undefined },
    { server: 'atlas', name: 'draw', description: 'Draws', inputSchema: { type: 'object' } },
  ]);
});

test('gives the same array until something changes', () => {
  const tools = new RegistryTools();
  tools.put([listed('maps:draw', 'atlas')]);
  const before = tools.offered();
  expect(tools.offered()).toBe(before);
  tools.put([listed('maps:find', 'atlas')]);
  const [first] = tools.offered();
  expect(tools.offered()).not.toBe(before);
  expect(first).toBe(before[0]);
});

test('forgets what goes, what others keep, and everything', () => {
  const tools = new RegistryTools();
  const names = () => tools.offered().map(({ name }) => name);
  tools.put(['a', 'b', 'c', 'd'].map((id) => listed(id, 's')));
  tools.remove(['b', 'unknown']);
  expect(names()).toEqual(['a', 'c', 'd']);
  tools.keepOnly(new Set(['c', 'd']));
  expect(names()).toEqual(['c', 'd']);
  // A tool that no server has any longer.
  tools.put([listed('c', undefined)]);
  expect([tools.size, names()]).toEqual([2, ['d']]);
  tools.clear();
  expect([tools.size, names()]).toEqual([0, []]);
});
