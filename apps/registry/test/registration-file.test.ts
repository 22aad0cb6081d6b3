import { describe, expect, test } from 'vitest';
import { readRegistrationFile } from '../src/register/registration-file.ts';

const NOTHING = { namespace: undefined, tags: [], backend: undefined } as const;
const read = (text: string, placement: Partial<Parameters<typeof readRegistrationFile>[2]> = {}) =>
  readRegistrationFile('file', text, { ...NOTHING, ...placement });

const registrationsOf = (text: string, placement = {}) => {
  const reading = read(text, placement);
  return reading.ok ? reading.entries.map(({ registration }) => registration) : expect.unreachable();
};
const problemsOf = (text: string, placement = {}) => {
  const reading = read(text, placement);
  return reading.ok ? expect.unreachable() : reading.problems;
};

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const WEATHER = { name: 'get_weather', description: 'The weather', inputSchema: SCHEMA };

describe('a file of tools', () => {
  test.each([
    ['MCP', WEATHER],
    [
      'Chat Completions',
      { type: 'function', function: { ...WEATHER, inputSchema: undefined, parameters: SCHEMA } },
    ],
    ['Responses', { ...WEATHER, inputSchema: undefined, type: 'function', parameters: SCHEMA, strict: true }],
    ['Messages', { ...WEATHER, inputSchema: undefined, input_schema: SCHEMA }],
    ['Bedrock', { toolSpec: { ...WEATHER, inputSchema: { json: SCHEMA } } }],
    ['Gemini', { ...WEATHER, inputSchema: undefined, parametersJsonSchema: SCHEMA }],
    [
      "Gemini's own schemas",
      {
        ...WEATHER,
        inputSchema: undefined,
        parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } },
      },
    ],
  ])('takes tools as in %s', (_, tool) => {
    expect(registrationsOf(JSON.stringify(tool))).toEqual([
      { tool: WEATHER, tags: undefined, backend: { kind: 'local', handler: 'get_weather' } },
    ]);
  });

  test('keeps what MCP alone has, and takes a tool without parameters', () => {
    const annotated = { ...WEATHER, title: 'Weather', annotations: { readOnlyHint: true }, _meta: { a: 1 } };
    expect(registrationsOf(JSON.stringify(annotated))[0]!.tool).toEqual(annotated);
    expect(registrationsOf('{"name":"now"}')[0]!.tool).toEqual({
      name: 'now',
      inputSchema: { type: 'object' },
    });
  });

  test.each([
    ['one on each line', '{"name":"a"}\n\n{"name":"b"}\r\n'],
    ['in one array', '[{"name":"a"},\n{"name":"b"}]'],
    ['as a list of MCP', '{"tools":[{"name":"a"},{"name":"b"}]}'],
    ['behind a byte order mark', '\ufeff{"name":"a"}\n{"name":"b"}'],
  ])('takes tools %s', (_, text) => {
    expect(registrationsOf(text).map(({ tool }) => tool.name)).toEqual(['a', 'b']);
  });

  test('adds namespace, tags and backend, and lets a whole registration keep its own', () => {
    const own = { tool: WEATHER, namespace: 'sky', backend: { kind: 'provider', provider: 'p', tool: 't' } };
    const placement = { namespace: 'office', tags: ['new'], backend: { kind: 'provider', provider: 'acme' } };
    expect(registrationsOf(`{"name":"a/b"}\n${JSON.stringify(own)}`, placement)).toEqual([
      {
        tool: { name: 'a_b', inputSchema: { type: 'object' } },
        namespace: 'office',
        tags: ['new'],
        backend: { kind: 'provider', provider: 'acme', tool: 'a/b' },
      },
      { ...own, tags: ['new'] },
    ]);
  });

  test('says which names the registry does not take as they are', () => {
    const reading = read('{"name":"a/b"}\n{"name":"a b"}\n{"name":"a_b"}');
    expect(reading).toMatchObject({
      ok: true,
      notices: [
        expect.stringMatching(/^file:1: "a\/b" is registered as "a_b_\w{8}"\.$/),
        'file:2: "a b" is registered as "a_b".',
        expect.stringMatching(/^file:3: "a_b" is registered as "a_b_\w{8}"\.$/),
      ],
    });
  });

  test('leaves the names of an MCP server as they are', () => {
    const backend = { kind: 'mcp', server: 'home' };
    expect(registrationsOf('{"name":"a"}', { backend })[0]!.backend).toEqual(backend);
    expect(problemsOf('{"name":"a/b"}', { backend })).toEqual([
      'file, name: The name must have 1 to 128 of the characters A-Z a-z 0-9 _ . -',
    ]);
  });

  test('names every bad line with its place, and gives no tool then', () => {
    const lines = [
      '{"name":"a"}',
      '{"name":"b",',
      '{"name":""}',
      '{"name":"c","inputSchema":[]}',
      '"text"',
      '{"tool":{"name":"d","inputSchema":{}},"backend":{"kind":"mcp"}}',
      '{"name":"a"}',
    ];
    expect(problemsOf(lines.join('\n'))).toEqual([
      expect.stringMatching(/^file:2: .*JSON/),
      'file:3: the tool needs a name.',
      'file:5: a tool must be a JSON object.',
      'file:4, inputSchema: The schema must be an object, such as {"type":"object"}.',
      'file:6, backend.server: A backend of kind "mcp" needs a server of 1 to 256 characters.',
      'file:7: the same tool, a, is at file:1 already.',
    ]);
  });

  test.each([
    ['', 'file: the file is empty.'],
    ['[]', 'file: there are no tools in it.'],
    ['a: 1', 'file: not tools in JSON, one per line, and not an OpenAPI document.'],
    ['3', 'file: a tool must be a JSON object.'],
    ['{"openapi":"3.1.0"}', 'file: the OpenAPI document has no paths that can be read.'],
  ])('refuses %j', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test('names the line of an error in a document that is not a list of lines', () => {
    expect(problemsOf('{\n "openapi": "3.1.0",\n "paths": {\n}')[0]).toMatch(/^file: .*line \d/i);
  });
});
