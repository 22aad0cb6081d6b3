import { describe, expect, inject, test } from 'vitest';
import { bm25 } from '../src/rankers/bm25.ts';
import { DOCUMENT_LIMITS, toDocument } from '../src/tools/to-document.ts';

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Where to look' } },
};
const CITY = [{ name: 'city', text: 'Where to look' }];

const parametersOf = (schema: unknown) =>
  toDocument({ name: 't', definition: { parameters: schema } }).parameters;

describe('finds the parameters in the shape of', () => {
  const shapes: [string, Record<string, unknown>][] = [
    [
      'OpenAI Chat Completions',
      { type: 'function', function: { name: 't', description: 'Weather', parameters: SCHEMA } },
    ],
    ['OpenAI Responses', { type: 'function', name: 't', description: 'Weather', parameters: SCHEMA }],
    ['Anthropic Messages', { name: 't', description: 'Weather', input_schema: SCHEMA }],
    ['MCP', { name: 't', description: 'Weather', inputSchema: SCHEMA }],
    ['Bedrock Converse', { toolSpec: { name: 't', description: 'Weather', inputSchema: { json: SCHEMA } } }],
    ['Bedrock without its wrapper', { name: 't', description: 'Weather', inputSchema: { json: SCHEMA } }],
    ['Gemini with a JSON schema', { name: 't', description: 'Weather', parametersJsonSchema: SCHEMA }],
    [
      'Gemini with types in upper case',
      {
        name: 't',
        description: 'Weather',
        parameters: {
          type: 'OBJECT',
          properties: { city: { type: 'STRING', description: 'Where to look' } },
        },
      },
    ],
  ];
  test.each(shapes)('%s', (_, definition) => {
    expect(toDocument({ name: 't', definition })).toEqual({
      name: 't',
      description: 'Weather',
      parameters: CITY,
    });
  });
});

test("prefers the tool's own description to the definition's", () => {
  const definition = { description: 'Theirs', parameters: {} };
  expect(toDocument({ name: 't', description: 'Ours', definition }).description).toBe('Ours');
  expect(toDocument({ name: 't', description: null, definition }).description).toBe('Theirs');
});

test('gives an empty description and no parameters for a bare name', () => {
  expect(toDocument({ name: 't' })).toEqual({ name: 't', description: '', parameters: [] });
});

test.each([
  [{ 'x-examples': ['my laptop is broken'] }],
  [{ type: 'function', function: { 'x-examples': ['my laptop is broken'], parameters: {} } }],
  [{ input_schema: { type: 'object', 'x-examples': ['my laptop is broken', 7, null] } }],
  [{ toolSpec: { inputSchema: { json: { 'x-examples': ['my laptop is broken'] } } } }],
])('reads what users have asked for: %j', async (definition) => {
  const tool = { name: 'open_case', description: 'Opens a case.', definition };
  expect(toDocument(tool).examples).toEqual(['my laptop is broken']);
  const { hits } = await bm25
    .build([toDocument({ ...tool, name: 'other', definition: {} }), toDocument(tool)])
    .rank('laptop', { limit: 5 });
  expect(hits.map(({ position }) => position)).toEqual([1]);
});

test('reads twenty examples, of bounded length, and none of another kind', () => {
  const examplesOf = (value: unknown) =>
    toDocument({ name: 'a', description: '', definition: { 'x-examples': value } }).examples;
  expect(examplesOf(Array(100).fill('x'.repeat(2_000)))).toEqual(Array(20).fill('x'.repeat(512)));
  for (const odd of ['text', 7, null, { 0: 'x' }]) expect(examplesOf(odd)).toBeUndefined();
});

describe('reads a schema:', () => {
  test('parameters of nested objects, in schema order', () => {
    const schema = {
      properties: {
        address: { properties: { street: { description: 'Road' }, zip: {} } },
        note: { title: 'Note' },
      },
    };
    expect(parametersOf(schema)).toEqual([
      { name: 'address', text: '' },
      { name: 'street', text: 'Road' },
      { name: 'zip', text: '' },
      { name: 'note', text: 'Note' },
    ]);
  });

  test('items of arrays, as a schema, as a list, and as prefixItems', () => {
    const schema = {
      properties: {
        rows: { items: { description: 'A row', properties: { cell: {} } } },
        pair: { items: [{ description: 'First' }, { description: 'Second' }] },
        point: { prefixItems: [{ description: 'X' }, { description: 'Y' }] },
      },
    };
    expect(parametersOf(schema)).toEqual([
      { name: 'rows', text: 'A row' },
      { name: 'cell', text: '' },
      { name: 'pair', text: 'First\nSecond' },
      { name: 'point', text: 'X\nY' },
    ]);
  });

  test('enum and const values that are strings or numbers', () => {
    const schema = {
      properties: { unit: { enum: ['celsius', 7, null, true, {}] }, kind: { const: 'city' } },
    };
    expect(parametersOf(schema)).toEqual([
      { name: 'unit', text: 'celsius\n7' },
      { name: 'kind', text: 'city' },
    ]);
  });

  test('branches of anyOf, oneOf and allOf', () => {
    const schema = {
      properties: {
        target: {
          anyOf: [{ description: 'A user' }, { oneOf: [{ properties: { team: {} } }] }],
          allOf: [{ description: 'Must exist' }],
        },
      },
    };
    expect(parametersOf(schema)).toEqual([
      { name: 'target', text: 'A user\nMust exist' },
      { name: 'team', text: '' },
    ]);
  });

  test('additionalProperties and patternProperties, whose keys are no names', () => {
    const schema = {
      properties: {
        headers: { additionalProperties: { description: 'Header value' } },
        labels: { patternProperties: { '^x-': { description: 'Label value' } } },
      },
    };
    expect(parametersOf(schema)).toEqual([
      { name: 'headers', text: 'Header value' },
      { name: 'labels', text: 'Label value' },
    ]);
  });

  test('text of the schema as a whole under an empty name, without its title', () => {
    const schema = { title: 'tArguments', description: 'Either of two', properties: { a: {} } };
    expect(parametersOf(schema)).toEqual([
      { name: 'a', text: '' },
      { name: '', text: 'Either of two' },
    ]);
  });

  test.each([
    ['#/$defs/Place', { $defs: { Place: { description: 'A place' } } }],
    ['#/definitions/Place', { definitions: { Place: { description: 'A place' } } }],
    ['#/a~1b/c~0d', { 'a/b': { 'c~d': { description: 'A place' } } }],
    ['#/%24defs/My%20Place', { $defs: { 'My Place': { description: 'A place' } } }],
    ['#/$defs/100%', { $defs: { '100%': { description: 'A place' } } }],
    ['#/list/1', { list: [{}, { description: 'A place' }] }],
  ])('the reference %s', ($ref, definitions) => {
    expect(parametersOf({ ...definitions, properties: { where: { $ref } } })).toEqual([
      { name: 'where', text: 'A place' },
    ]);
  });

  test('a reference that starts at the definition, not at the schema', () => {
    const definition = {
      components: { Place: { description: 'A place' } },
      parameters: { properties: { where: { $ref: '#/components/Place' } } },
    };
    expect(toDocument({ name: 't', definition }).parameters).toEqual([{ name: 'where', text: 'A place' }]);
  });

  test.each(['#/missing', 'https://example.com/schema.json', '#/constructor', '#/__proto__', '', '#'])(
    'past the reference "%s", which leads nowhere',
    ($ref) => {
      expect(parametersOf({ properties: { where: { $ref, description: 'Here' } } })).toEqual([
        { name: 'where', text: 'Here' },
      ]);
    },
  );
});

describe('bears a hostile definition:', () => {
  const totalChars = (schema: unknown) =>
    parametersOf(schema).reduce((total, { name, text }) => total + name.length + text.length, 0);

  test('20,000 levels of nesting, through each keyword that nests', () => {
    for (const wrap of [
      (inner: unknown) => ({ properties: { deep: inner } }),
      (inner: unknown) => ({ items: inner }),
      (inner: unknown) => ({ anyOf: [inner] }),
      (inner: unknown) => ({ additionalProperties: inner }),
    ]) {
      let schema: unknown = { description: 'bottom' };
      for (let level = 0; level < 20_000; level += 1) schema = wrap(schema);
      expect(parametersOf({ properties: { first: { description: 'Found' }, second: schema } })[0]).toEqual({
        name: 'first',
        text: 'Found',
      });
    }
  });

  test('cycles through references', () => {
    const node = { description: 'Node', properties: { next: { $ref: '#/$defs/Node' } } };
    const schema = {
      $defs: { Node: node },
      properties: { head: { $ref: '#/$defs/Node' }, self: { $ref: '#' } },
    };
    expect(parametersOf(schema)).toEqual([
      { name: 'head', text: 'Node' },
      { name: 'next', text: '' },
      { name: 'self', text: '' },
    ]);
  });

  test('references that double at each of 30 levels', () => {
    const $defs: Record<string, unknown> = { level30: { description: 'bomb' } };
    for (let level = 0; level < 30; level += 1) {
      const $ref = `#/$defs/level${level + 1}`;
      $defs[`level${level}`] = { anyOf: [{ $ref }, { $ref }], properties: { a: { $ref }, b: { $ref } } };
    }
    const schema = { $defs, properties: { x: { $ref: '#/$defs/level0' } } };
    expect(parametersOf(schema).length).toBeLessThan(100);
  });

  test('very many enum values and parameters', () => {
    const count = inject('isExhaustive') ? 1_000_000 : 100_000;
    const values = Array.from({ length: count }, (_, index) => `v${index}`);
    expect(totalChars({ properties: { kind: { enum: values } } })).toBeLessThanOrEqual(
      DOCUMENT_LIMITS.parameterChars,
    );
    const properties = Object.fromEntries(
      Array.from({ length: count / 10 }, (_, index) => [`p${index}`, {}]),
    );
    expect(parametersOf({ properties }).length).toBeLessThanOrEqual(DOCUMENT_LIMITS.schemas);
  });

  test('5 MB of description', () => {
    const description = 'x'.repeat(5_000_000);
    expect(toDocument({ name: 't', description }).description).toHaveLength(8_192);
    expect(totalChars({ properties: { a: { description }, b: { title: description } } })).toBe(2 * 8_192 + 2);
  });

  test('a cut never splits a surrogate pair', () => {
    const description = `x${'😀'.repeat(5_000)}`;
    const cut = toDocument({ name: 't', description }).description;
    expect(cut).toHaveLength(8_191);
    expect(cut.isWellFormed()).toBe(true);
  });

  test('keys that are names of the prototype', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"description":"own"},"constructor":{"description":"own too"}}}',
    );
    expect(parametersOf(schema)).toEqual([
      { name: '__proto__', text: 'own' },
      { name: 'constructor', text: 'own too' },
    ]);
    const definition = JSON.parse('{"__proto__":{"parameters":{"properties":{"evil":{}}}}}');
    expect(toDocument({ name: 't', definition }).parameters).toEqual([]);
  });

  test.each([
    null,
    7,
    'text',
    [],
    [{ properties: {} }],
    { properties: [] },
    { properties: 'text' },
    { properties: null },
    { properties: { a: null } },
    { properties: { a: 7 } },
    { properties: { a: [{}] } },
    { enum: 'text', const: [], title: {}, description: 9 },
    { anyOf: {}, oneOf: 'x', allOf: null, items: 3, prefixItems: {} },
    { $ref: 7 },
    { additionalProperties: true, patternProperties: [] },
  ])('wrong types: %j', (schema) => {
    const texts = parametersOf(schema).map(({ text }) => text);
    expect(texts.every((text) => text === '' || text === '9')).toBe(true);
  });

  test('a description that is a number and a function that is a list', () => {
    const definition = { description: 5, function: [1], toolSpec: 'x', parameters: 'y' };
    expect(toDocument({ name: 't', definition })).toEqual({ name: 't', description: '', parameters: [] });
  });

  test('lone surrogates, which stay as they are', () => {
    expect(toDocument({ name: '\ud83d', description: '\ude00' })).toEqual({
      name: '\ud83d',
      description: '\ude00',
      parameters: [],
    });
  });
});
