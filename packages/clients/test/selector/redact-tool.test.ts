import { toDocument } from '@winnow/ranking';
import { generateTools, TOOL_SHAPES, toSearchTool } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { redactTool } from '../../src/selector/judge-response.ts';

const MINIMAL = { descriptions: [], sendDefinition: 'minimal' } as const;

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  title: 'args',
  required: ['state'],
  properties: {
    state: { type: 'string', description: 'Which', enum: ['open'], default: 'SECRET', examples: ['SECRET'] },
    ['__proto__']: { type: 'string', default: 'SECRET' },
    list: { type: 'array', items: { $ref: '#/$defs/item' }, 'x-vendor': 'SECRET' },
    either: { anyOf: [{ const: 1 }, { type: 'null' }], default: { key: 'SECRET' } },
    more: { type: 'object', additionalProperties: { description: 'Any', pattern: 'SECRET' } },
  },
  $defs: { item: { type: 'object', properties: { id: { description: 'Which item' } }, $comment: 'SECRET' } },
};

describe('a minimal definition', () => {
  test.each([
    ['flat', { strict: true, description: 'SECRET', parameters: SCHEMA }],
    ['nested', { type: 'function', function: { name: 'a', description: 'SECRET', parameters: SCHEMA } }],
    ['of Anthropic', { input_schema: SCHEMA, cache_control: { type: 'SECRET' } }],
    ['of Bedrock', { toolSpec: { inputSchema: { json: SCHEMA } }, more: ['SECRET'] }],
  ])('%s keeps only the searched parts', (_, definition) => {
    const tool = { name: 'a', description: 'Does it', definition };
    const redacted = redactTool(tool, MINIMAL);
    expect(JSON.stringify(redacted)).not.toContain('SECRET');
    expect(toDocument(redacted)).toEqual(toDocument(tool));
    expect(toDocument(redacted).parameters.map(({ name }) => name)).toContain('id');
  });

  test.each(TOOL_SHAPES)('gives a ranker the same text as the whole one: generated tools of %s', (shape) => {
    for (const generated of generateTools({ count: 200, seed: 7 })) {
      const tool = toSearchTool(generated, shape);
      expect(toDocument(redactTool(tool, MINIMAL))).toEqual(toDocument(tool));
    }
  });

  test('has a limited depth', () => {
    let deep: object = { type: 'string' };
    for (let depth = 0; depth < 20_000; depth++) deep = { items: deep };
    const tool = { name: 'a', definition: { function: { parameters: deep } } };
    expect(() => JSON.stringify(redactTool(tool, MINIMAL))).not.toThrow();
  });

  test('is not made if the whole object may be sent', () => {
    const tool = { name: 'a', description: 'b', definition: { parameters: SCHEMA } };
    expect(redactTool(tool, { descriptions: [], sendDefinition: 'full' })).toBe(tool);
  });

  test('of a tool with a withheld description has only names', () => {
    const tool = { name: 'a', description: 'SECRET', definition: { parameters: SCHEMA } };
    const redacted = redactTool(tool, { descriptions: ['a'], sendDefinition: 'full' });
    expect(JSON.stringify(redacted)).not.toMatch(/SECRET|Which|open/);
    expect(toDocument(redacted).parameters.map(({ name }) => name)).toContain('state');
  });
});
