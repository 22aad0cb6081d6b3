import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isBasicTool } from '../src/strategies/basic-tools.ts';

/** The tools that agents declare in their first request, with the names of their parameters, as captured from each. */
const AGENTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = JSON.parse(
  readFileSync(new URL('agent-tools.json', import.meta.url), 'utf8'),
);

const toolOf = (name: string, parameters: readonly string[]) => ({
  name,
  definition: { name, parameters: { type: 'object', properties: propertiesOf(parameters) } },
});

test.each([
  ['Claude Code 2.1.329', ['Bash', 'Edit', 'NotebookEdit', 'Read', 'Write']],
  ['Codex 0.169.0 (gpt-5)', ['exec_command', 'write_stdin']],
  ['Continue CLI 1.5.47', ['Read', 'Write', 'List', 'Bash', 'MultiEdit']],
  [
    'Gemini CLI 0.61.0',
    ['list_directory', 'read_file', 'grep_search', 'glob', 'replace', 'write_file', 'run_shell_command'],
  ],
  ['pi 0.73.1', ['read', 'bash', 'edit', 'write']],
  [
    'Qwen Code 0.24.4',
    ['edit', 'glob', 'grep_search', 'notebook_edit', 'read_file', 'run_shell_command', 'write_file'],
  ],
])('%s keeps its basic tools, and no other', (agent, basic) => {
  const tools = Object.entries(AGENTS[agent]!).map(([name, parameters]) => toolOf(name, parameters));
  expect(tools.filter(isBasicTool).map(({ name }) => name)).toEqual(basic);
});

test.each([
  ['search', ['query', 'limit']],
  ['list', ['page', 'limit']],
  ['create', ['title', 'body']],
  ['edit', ['issue_id', 'text']],
  ['mcp__files__read_file', ['path']],
  ['execute_command_center', ['command']],
])('a tool of a service is not basic: %s(%j)', (name, parameters) => {
  expect(isBasicTool(toolOf(name, parameters))).toBe(false);
});

test('no tool of the example catalogue is basic', () => {
  const catalogue = readFileSync(new URL('../../../examples/tools.jsonl', import.meta.url), 'utf8');
  const tools = catalogue
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(tools.length).toBeGreaterThan(100);
  const basic = tools.filter((tool) => isBasicTool({ name: tool.name, definition: tool }));
  expect(basic.length / tools.length).toBeLessThanOrEqual(0.02);
});

test.each([
  ['Messages', { name: 'Bash', input_schema: { type: 'object', properties: { command: {} } } }],
  ['Chat', { type: 'function', function: { name: 'Bash', parameters: { properties: { command: {} } } } }],
  ['Gemini', { name: 'Bash', parametersJsonSchema: { properties: { command: {} } } }],
  ['Converse', { toolSpec: { name: 'Bash', inputSchema: { json: { properties: { command: {} } } } } }],
])('the shape is read as %s writes it', (_, definition) => {
  expect(isBasicTool({ name: 'Bash', definition })).toBe(true);
});

function propertiesOf(names: readonly string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
}
