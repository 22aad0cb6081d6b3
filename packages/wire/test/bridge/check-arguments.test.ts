import { describe, expect, test } from 'vitest';
import { checkArguments } from '../../src/bridge/judge-call.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string', pattern: '^[A-Z]' },
    days: { type: 'integer' },
    place: { type: 'object', properties: { zip: { type: 'string' } } },
    stops: { type: 'array', items: { type: 'object', properties: { at: { type: 'string' } } } },
  },
  required: ['city'],
};

describe('checking arguments', () => {
  test.each([
    [{ city: 'Bern', days: 2 }],
    [{ city: 'Bern', days: null, place: { zip: null }, stops: [{ at: null }] }],
    [{ city: 'not matched by the pattern' }],
    [{ city: 'x'.repeat(70_000), days: 'two' }],
  ])('accepts %#', (value) => {
    expect(checkArguments(SCHEMA, value)).toEqual([]);
  });

  test.each([
    [{ days: 2 }, ''],
    [{ city: null }, '/city'],
    [{ city: 'Bern', place: { zip: 3000 } }, '/place/zip'],
  ])('names the place of what does not fit: %j', (value, path) => {
    expect(checkArguments(SCHEMA, value)).toMatchObject([{ path }]);
  });

  test("reads Gemini's dialect", () => {
    const schema = {
      type: 'OBJECT',
      properties: { n: { type: 'INTEGER', nullable: true } },
      required: ['n'],
    };
    expect(checkArguments(schema, { n: 1 })).toEqual([]);
    expect(checkArguments(schema, { n: null })).toEqual([]);
    expect(checkArguments(schema, { n: 'one' })).toMatchObject([{ path: '/n' }]);
  });

  test.each([[undefined], [true], [{ $ref: 'https://example.com/schema' }], [{ type: 7 }]])(
    'accepts what it cannot check, or refuses it without failing: %j',
    (schema) => {
      expect(() => checkArguments(schema, { a: 1 })).not.toThrow();
    },
  );

  test('accepts a schema and a value of any depth', () => {
    let schema: object = { type: 'string' };
    let value: object = {};
    for (let depth = 0; depth < 5_000; depth += 1) {
      schema = { type: 'object', properties: { a: schema } };
      value = { a: value };
    }
    expect(checkArguments(schema, value as Record<string, unknown>)).toEqual([]);
  });
});
