import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';

const ExampleTool = z.strictObject({
  name: z.string().regex(/^[\w./-]{1,64}$/),
  description: z.string().min(1),
  parameters: z.looseObject({ type: z.literal('object'), properties: z.record(z.string(), z.unknown()) }),
});

const ExampleQuery = z.strictObject({
  id: z.string().min(1),
  query: z.string().min(1),
  gold: z.array(z.string()).min(1),
  kind: z.enum(['search', 'request', 'typo', 'abbreviation', 'german', 'hard']),
});

const tools = readLines('tools.jsonl', ExampleTool);
const queries = readLines('queries.jsonl', ExampleQuery);
const toolNames = new Set(tools.map((tool) => tool.name));

test('the example catalogue holds 132 tools, each under a name of its own', () => {
  expect(tools).toHaveLength(132);
  expect(toolNames.size).toBe(132);
});

test.each(tools)('the schema of $name requires only parameters that it describes', ({ parameters }) => {
  for (const schema of subschemas(parameters)) {
    expect(Object.keys(schema.properties ?? {})).toEqual(expect.arrayContaining(schema.required ?? []));
  }
});

test.each(tools)('every $ref of $name points at one of its own $defs', ({ parameters }) => {
  const definitions = Object.keys((parameters.$defs as object | undefined) ?? {});
  const targets = subschemas(parameters).flatMap((schema) => schema.$ref ?? []);
  expect(definitions.map((name) => `#/$defs/${name}`)).toEqual(expect.arrayContaining(targets));
});

test('the example queries are 80, each under an id of its own', () => {
  expect(queries).toHaveLength(80);
  expect(new Set(queries.map((query) => query.id)).size).toBe(80);
});

test.each(queries)('the tools that $id asks for are in the catalogue', ({ gold }) => {
  expect([...toolNames]).toEqual(expect.arrayContaining(gold));
});

function readLines<Schema extends z.ZodType>(file: string, schema: Schema): z.infer<Schema>[] {
  const text = readFileSync(new URL(`../examples/${file}`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => schema.parse(JSON.parse(line)));
}

const Subschema = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  $ref: z.string().optional(),
});
type Subschema = z.infer<typeof Subschema>;

/** Every object inside a schema that is a schema itself, the outermost first. */
function subschemas(node: unknown): Subschema[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = Array.isArray(node) ? [] : [Subschema.safeParse(node)];
  const inner = Object.values(node).flatMap(subschemas);
  return [...own.flatMap((parsed) => (parsed.success ? [parsed.data] : [])), ...inner];
}
