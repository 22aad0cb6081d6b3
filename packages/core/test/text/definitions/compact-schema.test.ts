import { expect, test } from 'vitest';
import { compactSchema } from '../../../src/text/definitions/compact-schema.ts';

test('keywords without a meaning for a call go', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.com/a',
    $comment: 'c',
    title: 'T',
    type: 'object',
    properties: { a: { title: 'A', type: 'string', minLength: 1, default: 'x', examples: ['y'] } },
    $defs: { d: { title: 'D', type: 'number' } },
    anyOf: [{ title: 'One', required: ['a'] }],
    additionalProperties: { title: 'More' },
  };
  expect(compactSchema(schema)).toEqual({
    type: 'object',
    properties: { a: { type: 'string', minLength: 1, default: 'x' } },
    $defs: { d: { type: 'number' } },
    anyOf: [{ required: ['a'] }],
    additionalProperties: {},
  });
});

test('properties that are named like keywords stay, and values are not read as schemas', () => {
  const schema = {
    properties: {
      title: { type: 'string' },
      examples: { type: 'array', items: { type: 'string' } },
      properties: { properties: { $id: { type: 'string' } } },
      $schema: { enum: [{ title: 'kept' }], default: { title: 'kept', examples: [] } },
    },
    patternProperties: { title: {} },
    required: ['title'],
  };
  expect(compactSchema(schema)).toEqual(schema);
});

test('a title that alone tells what a fixed value means stays', () => {
  const schema = {
    oneOf: [
      { const: 1, title: 'Urgent' },
      { const: 2, title: 'Low', description: 'Later.' },
    ],
  };
  expect(compactSchema(schema)).toEqual({
    oneOf: [
      { const: 1, title: 'Urgent' },
      { const: 2, description: 'Later.' },
    ],
  });
});

test('ids stay where references need them', () => {
  const schema = { $id: 'https://example.com/a', properties: { b: { $ref: 'b.json' } } };
  expect(compactSchema(schema)).toEqual(schema);
  expect(compactSchema({ ...schema, properties: { b: { $ref: '#/$defs/b' } } })).toEqual({
    properties: { b: { $ref: '#/$defs/b' } },
  });
});

test.each([true, null, 'text', undefined, [], { properties: null, items: [true] }])(
  'what is no schema of known form stays: %j',
  (schema) => expect(compactSchema(schema)).toEqual(schema),
);

test('a schema of any depth is written', () => {
  let schema: object = { type: 'string' };
  for (let depth = 0; depth < 500; depth++) schema = { items: schema };
  expect(compactSchema(schema)).toEqual(schema);
});
