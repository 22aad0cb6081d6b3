import { describe, expect, test } from 'vitest';
import { readTool } from '../src/tools/read-tool.ts';
import { toDocument } from '../src/tools/to-document.ts';

const NAME = 'create_issue';
const DESCRIPTION = 'Opens an issue';
const SCHEMA = { type: 'object', properties: { assignee: { type: 'string', description: 'Who does it' } } };

/** The same tool as every provider writes it. */
const SHAPES: Readonly<Record<string, Record<string, unknown>>> = {
  'OpenAI Chat': { type: 'function', function: { name: NAME, description: DESCRIPTION, parameters: SCHEMA } },
  'OpenAI Responses': { type: 'function', name: NAME, description: DESCRIPTION, parameters: SCHEMA },
  Anthropic: { name: NAME, description: DESCRIPTION, input_schema: SCHEMA },
  MCP: { name: NAME, description: DESCRIPTION, inputSchema: SCHEMA },
  Gemini: { name: NAME, description: DESCRIPTION, parameters: SCHEMA },
  'Gemini with JSON Schema': { name: NAME, description: DESCRIPTION, parametersJsonSchema: SCHEMA },
  Bedrock: { toolSpec: { name: NAME, description: DESCRIPTION, inputSchema: { json: SCHEMA } } },
};

function documentOf(value: unknown) {
  const reading = readTool(value);
  if (!reading.ok) throw new Error(reading.message);
  return toDocument(reading.tool);
}

const DOCUMENT = {
  name: NAME,
  description: DESCRIPTION,
  parameters: [{ name: 'assignee', text: 'Who does it' }],
};

describe('a tool', () => {
  test.each(Object.entries(SHAPES))('as %s writes it is read at the top level', (_, tool) => {
    expect(documentOf(tool)).toEqual(DOCUMENT);
  });

  test.each(Object.entries(SHAPES))('as %s writes it is read as a definition', (_, definition) => {
    expect(documentOf({ definition })).toEqual(DOCUMENT);
    expect(documentOf({ name: 'mine', description: 'my words', definition })).toEqual({
      ...DOCUMENT,
      name: 'mine',
      description: 'my words',
    });
  });

  test('has the parameters of its definition where both hold a schema', () => {
    const outer = { type: 'object', properties: { other: { type: 'string' } } };
    expect(documentOf({ name: NAME, parameters: outer, definition: SHAPES.Anthropic })).toEqual(DOCUMENT);
  });

  test('has the outer schema where its definition has none', () => {
    const tool = { name: NAME, description: DESCRIPTION, input_schema: SCHEMA, definition: { strict: true } };
    expect(documentOf(tool)).toEqual(DOCUMENT);
  });

  test.each([
    ['no definition', { name: NAME, definition: null }],
    ['no parameters', { name: NAME, parameters: null }],
    ['an empty list in place of an object', { name: NAME, input_schema: [] }],
  ])('with %s has no parameters', (_, tool) => {
    expect(documentOf(tool)).toEqual({ name: NAME, description: '', parameters: [] });
  });
});

describe('what is no tool', () => {
  test.each([
    ['no name anywhere', { definition: { type: 'function', function: { description: 'x' } } }, 'name'],
    ['a list of declarations', { functionDeclarations: [{ name: NAME }] }, 'name'],
    ['a name that is a number', { name: 7 }, 'name'],
    ['a description that is a list', { name: NAME, description: ['x'] }, 'description'],
    ['a definition that is a text', { name: NAME, definition: 'x' }, 'definition'],
    ['a schema that is a text', { name: NAME, input_schema: '{"type":"object"}' }, 'input_schema'],
    ['a wrapped schema that is a text', { function: { name: NAME, parameters: 'x' } }, 'function.parameters'],
    [
      'a schema of the definition that is a list',
      { name: NAME, definition: { toolSpec: { inputSchema: [1] } } },
      'definition.toolSpec.inputSchema',
    ],
    ['a text', 'create_issue', ''],
    ['a list', [], ''],
    ['null', null, ''],
  ])('is named by its place: %s', (_, value, path) => {
    expect(readTool(value)).toMatchObject({ ok: false, path });
  });
});
