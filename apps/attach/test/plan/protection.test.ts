import { expect, test } from 'vitest';
import { classOf, hashOfTools, protectionOf, serverOf } from '../../src/plan/known-tool.ts';
import { knownTool } from './random-agent.ts';

const RULES = { names: ['send_email', 'db_*'], keep: new Set(['tool-kept']), ruledNames: new Set(['ruled']) };

test.each([
  ['send_email', 'name'],
  ['send_email_now', undefined],
  ['send', undefined],
  ['Send_Email', undefined],
  ['db_', 'name'],
  ['db_query', 'name'],
  ['mydb_query', undefined],
  ['kept', 'keep_tools'],
  ['ruled', 'rule'],
  ['plain', undefined],
])('the tool %s is protected by %s', (name, protection) => {
  expect(protectionOf(knownTool(name), RULES)).toBe(protection);
});

test('what Letta brings, what was made by hand and what is tagged is protected', () => {
  expect(protectionOf(knownTool('a', { toolType: 'letta_sleeptime_core', tags: [] }), RULES)).toBe('core');
  expect(protectionOf(knownTool('a', { toolType: 'custom', tags: ['math'] }), RULES)).toBe('other');
  expect(protectionOf(knownTool('a', { tags: ['protected'] }), RULES)).toBe('tag');
});

test('a tool of an MCP server is known by its kind or by its tag', () => {
  expect(classOf({ toolType: 'external_mcp', tags: [] })).toBe('mcp');
  expect(classOf({ toolType: 'custom', tags: ['x', 'mcp:github'] })).toBe('mcp');
  expect(classOf({ toolType: 'custom', tags: ['mcp:'] })).toBe('other');
  expect(serverOf({ tags: ['x', 'mcp:github'] })).toBe('github');
});

test('the same tools have the same hash in any order', () => {
  const [a, b, c] = [knownTool('a'), knownTool('b'), knownTool('c')];
  expect(hashOfTools([a, b])).toBe(hashOfTools([b, a]));
  expect(hashOfTools([a, b])).not.toBe(hashOfTools([a]));
  expect(hashOfTools([a, b])).not.toBe(hashOfTools([a, c]));
});
