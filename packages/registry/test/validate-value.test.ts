import { Validator } from '@cfworker/json-schema';
import { createRandom } from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { validateValue } from '../src/index.ts';

type Random = ReturnType<typeof createRandom>;

const paths = (schema: unknown, value: unknown) => {
  const validation = validateValue(schema, value);
  return validation.result === 'invalid' ? validation.errors.map((error) => error.path) : validation.result;
};

describe('validating', () => {
  test('R68: finds every wrong place and says what is expected there', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 2 },
        count: { type: 'integer', minimum: 1 },
        kind: { enum: ['a', 'b'] },
        inner: { type: 'object', properties: { 'a/b~c': { type: ['null', 'number'] } } },
        list: { type: 'array', items: { type: 'string' } },
      },
      required: ['name', 'id'],
    };
    expect(
      validateValue(schema, { name: 'x', count: 0.5, kind: 'c', inner: { 'a/b~c': '' }, list: ['a', 1] }),
    ).toEqual({
      result: 'invalid',
      errors: [
        { path: '', message: 'must have the member "id"' },
        { path: '/name', message: 'must have at least 2 characters' },
        { path: '/count', message: 'must be of type integer' },
        { path: '/kind', message: 'must be one of ["a","b"]' },
        { path: '/inner/a~1b~0c', message: 'must be of type null or number' },
        { path: '/list/1', message: 'must be of type string' },
      ],
    });
    expect(validateValue(schema, { name: 'xy', id: 1, count: 1.0, list: [] })).toEqual({
      result: 'valid',
      notes: [],
    });
  });

  test('R68: follows local references, by pointer, anchor and id, and round in circles', () => {
    const schema = {
      $defs: {
        node: {
          type: 'object',
          properties: { next: { $ref: '#/$defs/node' }, 'a b': { $ref: '#/$defs/x~1y' } },
        },
        'x/y': { $anchor: 'here', type: 'string' },
        other: { $id: 'other.json', type: 'number' },
      },
      properties: {
        list: { $ref: '#/$defs/node' },
        text: { $ref: '#here' },
        number: { $ref: 'other.json' },
        self: { $ref: '#' },
      },
    };
    expect(paths(schema, { list: { next: { next: { next: 1 } } } })).toEqual(['/list/next/next/next']);
    expect(paths(schema, { text: 1, number: '', self: { text: 2 } })).toEqual([
      '/text',
      '/number',
      '/self/text',
    ]);
    expect(paths(schema, { list: { 'a b': 'x' }, text: 'x', number: 1, self: {} })).toBe('valid');
  });

  test('R68: a reference out of the document, or to nowhere in it, leaves the value unchecked', () => {
    for (const $ref of [
      'https://example.com/schema.json',
      'file:///etc/passwd',
      '#/$defs/missing',
      '#missing',
    ]) {
      expect(validateValue({ properties: { a: { $ref } } }, { a: 1 })).toEqual({
        result: 'unchecked',
        reason: 'external_ref',
      });
    }
    expect(paths({ properties: { a: { $ref: 'https://example.com' } } }, {})).toBe('valid');
  });

  test('R68: a schema that takes too much work leaves the value unchecked', () => {
    const wide = { anyOf: Array.from({ length: 10_001 }, () => ({ type: 'null' })) };
    const round = { $ref: '#' };
    const fanOut = {
      $defs: { a: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } },
      $ref: '#/$defs/a',
    };
    const costly = {
      items: { uniqueItems: true, enum: [1] },
      allOf: Array.from({ length: 2_000 }, () => ({ uniqueItems: true })),
    };
    const unchecked = { result: 'unchecked', reason: 'schema_too_complex' };
    for (const schema of [wide, round, fanOut]) expect(validateValue(schema, 1)).toEqual(unchecked);
    expect(
      validateValue(
        costly,
        Array.from({ length: 9_000 }, (_, n) => n),
      ),
    ).toEqual(unchecked);
  });

  test('R68: a list is looked through for repetitions once, however many schemas ask', () => {
    const schema = { allOf: Array.from({ length: 400 }, () => ({ uniqueItems: true })) };
    const list = Array.from({ length: 2_000 }, (_, n) => `item-${n}`);
    expect(paths(schema, list)).toBe('valid');
    expect(paths(schema, list.with(-1, list[0]!))).toHaveLength(20);
  });

  test('R68: patterns run in linear time, and one that cannot is not checked', () => {
    const evil = { pattern: '^(a+)+$' };
    expect(paths(evil, `${'a'.repeat(40_000)}!`)).toEqual(['']);
    expect(paths({ pattern: '^[A-Z]+-\\d+$' }, 'ABC-12')).toBe('valid');
    expect(paths({ pattern: '^[A-Z]+-\\d+$' }, 'abc-12')).toEqual(['']);
    expect(validateValue({ pattern: '^(?=a)b' }, 'x')).toEqual({
      result: 'valid',
      notes: ['pattern_not_checked'],
    });
    // A member that such a pattern may be about is not taken for an additional one.
    expect(
      paths({ patternProperties: { '(?=a)': { type: 'null' } }, additionalProperties: false }, { a: 1 }),
    ).toBe('valid');
  });

  test('R68: values above 64 KiB or deeper than 32 are refused', () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    expect(paths({}, deep(32))).toBe('valid');
    expect(paths({}, deep(33))).toEqual(['']);
    expect(paths({}, 'x'.repeat(65_534))).toBe('valid');
    expect(paths({}, 'x'.repeat(65_535))).toEqual(['']);
  });

  test('R68: the schema is not changed, and keys of objects are never taken for their own methods', () => {
    const schema = Object.freeze({
      properties: Object.freeze({}),
      required: Object.freeze(['toString']),
      additionalProperties: false,
    });
    expect(paths(schema, {})).toEqual(['']);
    expect(paths({ properties: {}, additionalProperties: { type: 'null' } }, { constructor: 1 })).toEqual([
      '/constructor',
    ]);
    expect(
      paths(JSON.parse('{"properties":{"__proto__":{"type":"null"}}}'), JSON.parse('{"__proto__":1}')),
    ).toEqual(['/__proto__']);
  });

  test('R68: dialects differ where they do', () => {
    const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' };
    // In draft-07 members next to a reference do not count.
    expect(
      paths(
        { ...draft7, properties: { a: { $ref: '#/definitions/x', type: 'null' } }, definitions: { x: {} } },
        { a: 1 },
      ),
    ).toBe('valid');
    expect(
      paths(
        { properties: { a: { $ref: '#/definitions/x', type: 'null' } }, definitions: { x: {} } },
        { a: 1 },
      ),
    ).toEqual(['/a']);
    expect(paths({ ...draft7, items: [{ type: 'string' }], additionalItems: false }, ['a', 1])).toEqual([
      '/1',
    ]);
    expect(paths({ prefixItems: [{ type: 'string' }], items: false }, ['a', 1])).toEqual(['/1']);
  });

  test.each(['2020-12', '7'] as const)(
    'R68: agrees with another validator on random schemas of draft %s',
    (draft) => {
      const random = createRandom(68);
      const rounds = inject('isExhaustive') ? 3_000 : 80;
      const isDraft7 = draft === '7';
      let [valid, invalid] = [0, 0];
      for (let round = 0; round < rounds; round++) {
        const schema = randomSchema(random, 3, isDraft7);
        if (typeof schema !== 'object') continue;
        const root = isDraft7 ? { $schema: 'http://json-schema.org/draft-07/schema#', ...schema } : schema;
        const other = new Validator(root as object, draft);
        for (let n = 0; n < 4; n++) {
          const value = randomValue(random, 3);
          const expected = other.validate(value).valid;
          const { result } = validateValue(root, value);
          if (result !== (expected ? 'valid' : 'invalid')) {
            throw new Error(`${JSON.stringify(root)} of ${JSON.stringify(value)}: ${result}`);
          }
          if (expected) valid++;
          else invalid++;
        }
      }
      expect(Math.min(valid, invalid)).toBeGreaterThan(rounds / 3);
    },
  );
});

function randomValue(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.3)) return random.pick([null, true, 0, 1, 2, 1.5, '', 'a', 'ab', 'é🎟']);
  const count = random.below(4);
  if (random.chance(0.4)) return Array.from({ length: count }, () => randomValue(random, depth - 1));
  return Object.fromEntries(
    random.sample(['a', 'b', 'c'], count).map((key) => [key, randomValue(random, depth - 1)]),
  );
}

function randomSchema(random: Random, depth: number, isDraft7: boolean): unknown {
  if (random.chance(0.08)) return random.chance(0.7);
  const inner = () => (depth === 0 ? {} : randomSchema(random, depth - 1, isDraft7));
  const inners = () => Array.from({ length: random.between(1, 3) }, inner);
  const members = () => Object.fromEntries(random.sample(['a', 'b', 'c'], 2).map((key) => [key, inner()]));
  const both: (() => object)[] = [
    () => ({ type: random.pick(['object', 'array', 'string', 'number', 'integer', 'null', 'boolean']) }),
    () => ({ type: ['object', 'array', random.pick(['string', 'number'])] }),
    () => ({ enum: [1, 'a', { a: 1 }, [], null].slice(random.below(3)) }),
    () => ({ const: random.pick([1, 'a', { b: null }]) }),
    () => ({ minimum: 1, maximum: 2 }),
    () => ({ exclusiveMinimum: 0, exclusiveMaximum: 2, multipleOf: 0.5 }),
    () => ({ minLength: 1, maxLength: random.between(1, 3) }),
    () => ({ pattern: random.pick(['^a', 'b$', 'é']) }),
    () => ({ minItems: 1, maxItems: 2 }),
    () => ({ uniqueItems: true }),
    () => ({ minProperties: 1, maxProperties: 2 }),
    () => ({ required: random.sample(['a', 'b', 'c'], 2) }),
    () => ({ properties: members() }),
    () => ({ patternProperties: { '^[ab]$': inner() } }),
    () => ({ properties: members(), additionalProperties: inner() }),
    () => ({ propertyNames: inner() }),
    () => ({ items: inner() }),
    () => ({ contains: inner() }),
    () => ({ allOf: inners() }),
    () => ({ anyOf: inners() }),
    () => ({ oneOf: inners() }),
    () => ({ not: inner() }),
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
    () => ({ if: inner(), then: inner(), else: inner() }),
  ];
  const only7: (() => object)[] = [
    () => ({ items: inners(), additionalItems: inner() }),
    () => ({ dependencies: { a: ['b'], b: inner() } }),
  ];
  const only2020: (() => object)[] = [
    () => ({ prefixItems: inners(), items: inner() }),
    () => ({ contains: inner(), minContains: random.below(2), maxContains: 2 }),
    () => ({ dependentRequired: { a: ['b'] } }),
    () => ({ dependentSchemas: { b: inner() } }),
    () => ({ ...(inner() as object), unevaluatedProperties: false }),
    () => ({ ...(inner() as object), unevaluatedItems: false }),
  ];
  const parts = random.sample([...both, ...(isDraft7 ? only7 : only2020)], random.between(1, 3));
  return Object.assign({}, ...parts.map((part) => part()));
}
