import { describe, expect, test } from 'vitest';
import { readRegistrationFile } from '../src/register/registration-file.ts';

const NOTHING = { namespace: undefined, tags: [], backend: undefined } as const;
const SERVERS = [{ url: 'https://api.example/v1' }];

const read = (document: object, placement = {}) =>
  readRegistrationFile(
    'api.json',
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      servers: SERVERS,
      ...document,
    }),
    { ...NOTHING, ...placement },
  );
const toolsOf = (document: object, placement = {}) => {
  const reading = read(document, placement);
  return reading.ok
    ? reading.entries.map(({ registration }) => registration)
    : expect.unreachable(reading.problems.join('\n'));
};
const toolOf = (operation: object, document: object = {}, path = '/pets/{petId}') =>
  toolsOf({ paths: { [path]: { post: operation } }, ...document })[0]!.tool;
const problemsOf = (document: object) => {
  const reading = read(document);
  return reading.ok ? expect.unreachable() : reading.problems;
};

const PET = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'string', readOnly: true },
    name: { type: 'string' },
    parent: { $ref: '#/components/schemas/Pet' },
  },
};
const PARAMETER = {
  name: 'petId',
  in: 'path',
  required: true,
  description: 'The pet',
  schema: { type: 'string' },
};
const bodyOf = (schema: object, more = {}) => ({ content: { 'application/json': { schema } }, ...more });

describe('an OpenAPI document', () => {
  test('gives each operation as a tool, with its address, method and path', () => {
    const paths = {
      '/pets': {
        get: { operationId: 'listPets', summary: 'All pets', tags: ['pets'], responses: {} },
        post: { operationId: 'add pet', responses: {} },
      },
      '/pets/{petId}': { delete: { responses: {} }, summary: 'no operation' },
    };
    expect(
      toolsOf({ paths }, { namespace: 'pets', tags: ['new'] }).map(({ tool, ...rest }) => [tool.name, rest]),
    ).toEqual([
      ['listPets', placed('GET /pets', ['new', 'pets'])],
      ['add_pet', placed('POST /pets', ['new'])],
      ['delete_pets_petid', placed('DELETE /pets/{petId}', ['new'])],
    ]);
  });

  const placed = (tool: string, tags: readonly string[]) => ({
    namespace: 'pets',
    tags,
    backend: { kind: 'provider', provider: 'https://api.example/v1', tool },
  });

  test('takes names, description and hints from the operation', () => {
    const operation = { summary: 'Add', description: 'Adds a pet.', deprecated: true, responses: {} };
    expect(toolOf(operation)).toMatchObject({
      name: 'post_pets_petid',
      title: 'Add',
      description: 'Deprecated.\nAdd\nAdds a pet.',
      annotations: { readOnlyHint: false, destructiveHint: false },
    });
    const [get, remove] = toolsOf({ paths: { '/a': { get: {}, delete: {} } } });
    expect(get!.tool).toMatchObject({ description: 'GET /a', annotations: { readOnlyHint: true } });
    expect(remove!.tool.annotations).toEqual({ readOnlyHint: false, destructiveHint: true });
  });

  test('keeps operations apart that would have one name', () => {
    const paths = { '/a': { get: { operationId: 'x' } }, '/b': { get: { operationId: 'x' } } };
    expect(toolsOf({ paths }).map(({ tool }) => tool.name)).toEqual(['x', 'get_b']);
    const alike = { '/a/b': { get: {} }, '/a-b': { get: {} }, '/a_b': { get: {} } };
    expect(new Set(toolsOf({ paths: alike }).map(({ tool }) => tool.name)).size).toBe(3);
  });

  test('makes parameters and the members of the body arguments, and says where each goes', () => {
    const { inputSchema, _meta } = toolOf(
      {
        parameters: [
          { $ref: '#/components/parameters/PetId' },
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
        ],
        requestBody: bodyOf({ $ref: '#/components/schemas/Pet' }, { required: true }),
      },
      { components: { schemas: { Pet: PET }, parameters: { PetId: PARAMETER } } },
    );
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        petId: { type: 'string', description: 'The pet' },
        limit: { type: 'integer' },
        name: { type: 'string' },
        parent: { $ref: '#/$defs/Pet' },
      },
      required: ['petId', 'name'],
      $defs: { Pet: { ...PET, properties: { ...PET.properties, parent: { $ref: '#/$defs/Pet' } } } },
    });
    expect(_meta).toEqual({
      http: {
        contentType: 'application/json',
        arguments: {
          petId: { in: 'path', name: 'petId' },
          limit: { in: 'query', name: 'limit' },
          name: { in: 'body', name: 'name' },
          parent: { in: 'body', name: 'parent' },
        },
      },
    });
  });

  test.each([
    ['is no object', { type: 'array', items: { type: 'string' } }],
    ['combines schemas', { allOf: [PET], type: 'object', properties: { a: {} } }],
    ['has a member with the name of a parameter', { type: 'object', properties: { petId: {} } }],
  ])('gives the body as one argument where it %s', (_, schema) => {
    const { inputSchema, _meta } = toolOf(
      { parameters: [PARAMETER], requestBody: bodyOf(schema) },
      {
        components: { schemas: { Pet: PET } },
      },
    );
    expect(Object.keys(inputSchema.properties as object)).toEqual(['petId', 'body']);
    expect(inputSchema.required).toEqual(['petId']);
    expect(_meta).toMatchObject({ http: { arguments: { body: { in: 'body' } } } });
  });

  test('takes parameters of the path, which an operation replaces, and two of one name', () => {
    const [found] = toolsOf({
      paths: {
        '/a/{id}': {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'id', in: 'query', schema: { type: 'string' } },
          ],
          get: { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }] },
        },
      },
    });
    expect(found!.tool.inputSchema).toMatchObject({
      properties: { id: { type: 'integer' }, query_id: { type: 'string' } },
      required: ['id'],
    });
    expect(found!.tool._meta).toMatchObject({
      http: { arguments: { query_id: { in: 'query', name: 'id' } } },
    });
  });

  test('reads 3.0 and Swagger 2.0 in the JSON Schema of today', () => {
    const nullable = {
      name: 'n',
      in: 'query',
      schema: { type: 'integer', nullable: true, minimum: 0, exclusiveMinimum: true },
    };
    const [old] = toolsOf({ openapi: '3.0.3', paths: { '/a': { get: { parameters: [nullable] } } } });
    expect(old!.tool.inputSchema.properties).toEqual({
      n: { type: ['integer', 'null'], exclusiveMinimum: 0 },
    });
    const [swagger] = toolsOf({
      openapi: undefined,
      servers: undefined,
      swagger: '2.0',
      host: 'old.example',
      schemes: ['https'],
      basePath: '/v2',
      paths: {
        '/a': { post: { parameters: [{ name: 'b', in: 'body', schema: { $ref: '#/definitions/Pet' } }] } },
      },
      definitions: { Pet: { type: 'object', properties: { name: { type: 'string' } } } },
    });
    expect(swagger).toMatchObject({
      tool: { inputSchema: { properties: { name: { type: 'string' } } } },
      backend: { provider: 'https://old.example/v2', tool: 'POST /a' },
    });
  });

  test('reads YAML', () => {
    const yaml = 'openapi: 3.1.0\nservers: [{ url: https://a.example }]\npaths:\n  /a:\n    get: {}\n';
    expect(readRegistrationFile('a.yaml', yaml, NOTHING)).toMatchObject({
      ok: true,
      entries: [{ place: 'a.yaml: GET /a' }],
    });
  });

  test('reads aliases and merged keys of YAML, in bounds', () => {
    const yaml = [
      'openapi: 3.1.0\nservers: [{ url: https://a.example }]',
      'x-common: &common { summary: Common, responses: {} }',
      'components: { parameters: { limit: &limit { name: limit, in: query, schema: { type: integer } } } }',
      'paths: { /a: { get: { <<: *common, parameters: [*limit] } }, /b: { get: { parameters: [*limit] } } }',
    ].join('\n');
    const reading = readRegistrationFile('a.yaml', yaml, NOTHING);
    expect(reading).toMatchObject({
      ok: true,
      entries: [{ registration: { tool: { title: 'Common' } } }, {}],
    });
    const bomb = Array.from(
      { length: 30 },
      (_, level) => `x${level + 1}: &x${level + 1} [*x${level}, *x${level}]`,
    );
    const large = 'With its aliases (*name), the file has more than 5000000 values.';
    for (const [text, problem] of [
      [`x0: &x0 1\n${bomb.join('\n')}`, large],
      ['a: &a [*a]', large],
      ['a: [*b]', 'The file has aliases (*name) that lead to nothing.'],
    ] as const)
      expect(readRegistrationFile('a.yaml', text, NOTHING)).toEqual({
        ok: false,
        problems: [`a.yaml: ${problem}`],
      });
  });

  test('says how each value is written', () => {
    const schema = {
      type: 'object',
      properties: { items: { type: 'array' }, meta: { type: 'object' } },
    };
    const operation = {
      parameters: [
        { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
        { name: 'where', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
      ],
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            schema,
            encoding: { items: { style: 'deepObject', explode: true }, meta: { contentType: 'text/plain' } },
          },
        },
      },
    };
    expect(toolOf(operation, {}, '/a')._meta).toEqual({
      http: {
        contentType: 'application/x-www-form-urlencoded',
        arguments: {
          filter: { in: 'query', name: 'filter', style: 'deepObject', explode: true },
          where: { in: 'query', name: 'where', contentType: 'application/json' },
          items: { in: 'body', name: 'items', style: 'deepObject', explode: true },
          meta: { in: 'body', name: 'meta', contentType: 'text/plain' },
        },
      },
    });
    const whole = {
      requestBody: {
        content: {
          'multipart/form-data': {
            schema: { ...schema, minProperties: 1 },
            encoding: { meta: { contentType: 'text/plain' } },
          },
        },
      },
    };
    expect(toolOf(whole, {}, '/a')._meta).toMatchObject({
      http: { arguments: { body: { in: 'body', encoding: { meta: { contentType: 'text/plain' } } } } },
    });
  });

  test('reads how lists are written in Swagger 2.0', () => {
    const list = { in: 'query', type: 'array', items: { type: 'string' } };
    const parameters = [
      { ...list, name: 'a', collectionFormat: 'multi' },
      { ...list, name: 'b', collectionFormat: 'pipes' },
    ];
    const document = { openapi: undefined, swagger: '2.0', host: 'a.example', schemes: ['https'] };
    const [tool] = toolsOf({ ...document, paths: { '/a': { get: { parameters } } } });
    expect(tool!.tool._meta).toMatchObject({
      http: { arguments: { a: { style: 'form', explode: true }, b: { style: 'pipeDelimited' } } },
    });
  });

  test('leaves references in data as they are, and follows those of properties with names of keywords', () => {
    const data = { $ref: '#/none' };
    const schema = {
      type: 'object',
      default: data,
      examples: [data],
      properties: {
        a: { const: data, enum: [data], example: data },
        default: { $ref: '#/components/schemas/P' },
        $ref: { type: 'string' },
      },
    };
    const { inputSchema } = toolOf(
      { parameters: [{ name: 'q', in: 'query', schema }] },
      { components: { schemas: { P: { type: 'string' } } } },
    );
    expect(inputSchema).toMatchObject({
      properties: {
        q: { ...schema, properties: { a: schema.properties.a, default: { $ref: '#/$defs/P' } } },
      },
      $defs: { P: { type: 'string' } },
    });
  });

  test('reads methods of 3.2, operations next to a reference, and server variables', () => {
    const paths = {
      '/a': { query: {}, additionalOperations: { COPY: { summary: 'Copy' } } },
      '/b': { $ref: '#/components/pathItems/B', delete: {} },
    };
    const servers = [
      { url: 'https://{team}.example' },
      { url: 'https://{team}.example/{v}', variables: { team: { default: 'a' }, v: { default: 'v1' } } },
    ];
    const components = { pathItems: { B: { get: {} } } };
    const tools = toolsOf({ openapi: '3.2.0', paths, components, servers });
    expect(tools.map(({ backend }) => backend)).toEqual(
      ['QUERY /a', 'COPY /a', 'GET /b', 'DELETE /b'].map((tool) => ({
        kind: 'provider',
        provider: 'https://a.example/v1',
        tool,
      })),
    );
    expect(tools.map(({ tool }) => tool.annotations?.readOnlyHint)).toEqual([true, false, true, false]);
  });

  test('leaves out operations that cannot be tools, and names each', () => {
    const paths = {
      '/a': { get: { parameters: [{ $ref: 'other.yaml#/P' }] }, post: {} },
      '/b': { get: null, put: { description: 'x'.repeat(300_000) } },
      '/c': { $ref: '#/none' },
    };
    expect(read({ paths })).toMatchObject({
      ok: true,
      entries: [{ place: 'api.json: POST /a' }],
      leftOut: [
        'api.json: GET /a: other.yaml#/P is in another document. Make one document of them first.',
        'api.json: GET /b: not an object.',
        'api.json: /c: #/none leads to nothing.',
        expect.stringMatching(/^api\.json: PUT \/b.*large/),
      ],
    });
  });

  test('names each operation where none can be a tool', () => {
    const paths = {
      '/a': { get: { parameters: [{ $ref: 'other.yaml#/P' }] } },
      '/b': { get: { parameters: [{ $ref: '#/components/parameters/None' }] } },
      '/c': { post: { requestBody: bodyOf({ $ref: '#/components/schemas/Loop' }) } },
      '/d': {
        get: { parameters: [{ name: 'q', in: 'query', schema: { $ref: 'https://x.example/s.json' } }] },
      },
    };
    const components = { schemas: { Loop: { $ref: '#/components/schemas/Loop' } } };
    expect(problemsOf({ paths, components })).toEqual([
      'api.json: GET /a: other.yaml#/P is in another document. Make one document of them first.',
      'api.json: GET /b: #/components/parameters/None leads to nothing.',
      'api.json: POST /c: #/components/schemas/Loop refers to itself.',
      'api.json: GET /d: https://x.example/s.json is in another document. Make one document of them first.',
    ]);
  });

  test('needs an address, and takes the one of the command line', () => {
    const document = { servers: [{ url: '/v1' }], paths: { '/a': { get: {} }, '/b': { get: {} } } };
    expect(problemsOf(document)).toEqual([
      'api.json: there is no complete server address. Add one: --backend provider:https://…',
    ]);
    const backend = { kind: 'provider', provider: 'https://mine.example' };
    expect(toolsOf(document, { backend })[0]!.backend).toEqual({ ...backend, tool: 'GET /a' });
  });

  test.each([
    ['paths', { paths: [] }],
    ['a path', { paths: { '/a': 3 } }],
    [
      'an operation',
      { paths: { '/a': { get: { parameters: 3, requestBody: 'x', tags: 1, operationId: {} } } } },
    ],
    ['components', { paths: { '/a': { get: {} } }, components: 7 }],
    [
      'deep schemas',
      { paths: { '/a': { get: { parameters: [{ name: 'q', in: 'query', schema: deep(500) }] } } } },
    ],
  ])('stays calm about odd %s', (_, document) => {
    expect(() => read(document)).not.toThrow();
  });
});

function deep(levels: number): object {
  return levels === 0 ? {} : { items: deep(levels - 1) };
}
