import { createRandom, generateTools, TOOL_SHAPES, toProviderTool, toSearchTool } from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { readToolFromBytes } from '../../src/from-bytes/read-tool-from-bytes.ts';
import { mutate, seedTexts } from './mutate-tool.ts';
import { PieceList, parsedPieces, piecesFromBytes, readBetweenOthers } from './pieces.ts';

const fromText = (text: string) => piecesFromBytes(Buffer.from(text));
const fromParsing = (text: string) => parsedPieces(Buffer.from(text));
const fromSchema = (schema: string) => fromText(`{"name":"t","parameters":${schema}}`)?.slice(2);

test('writes the name, the description, and then name and text of each parameter', () => {
  const schema = {
    properties: {
      place: { properties: { city: { description: 'Which' } }, description: 'Where', enum: ['here', 2] },
      at: {},
    },
    description: 'All of it',
  };
  expect(fromText(JSON.stringify({ name: 't', description: 'Does it.', inputSchema: schema }))).toEqual([
    ...['t', 'Does it.'],
    ...['place', 'Where\nhere\n2', 'city', 'Which', 'at', ''],
    ...['', 'All of it'],
  ]);
});

describe('reads as parsing does, without giving up, the tool', () => {
  const schema = '{"type":"object","properties":{"p":{"type":"string","description":"P"}},"required":["p"]}';
  const inside = `"name":"i","description":"inner"`;
  test.each([
    `{"type":"function","function":{${inside},"parameters":${schema}}}`,
    `{"type":"function",${inside},"parameters":${schema}}`,
    `{${inside},"input_schema":${schema}}`,
    `{${inside},"inputSchema":${schema}}`,
    `{${inside},"parametersJsonSchema":${schema}}`,
    `{"toolSpec":{${inside},"inputSchema":{"json":${schema}}}}`,
    `{"name":"o","definition":{"toolSpec":{${inside},"inputSchema":{"json":${schema}}}}}`,
    `{"name":"o","description":"outer","definition":{${inside},"parameters":${schema}}}`,
    `{"name":"o","description":"","definition":{${inside},"parameters":${schema}}}`,
    `{"name":"o","description":"","parameters":${schema},"definition":{${inside}}}`,
    `{"name":"o","description":null,"vector":null,"definition":null,"parameters":null}`,
    `{"definition":{"function":{${inside},"parameters":[]},"parameters":${schema}}}`,
    `{"definition":{"function":{${inside},"parameters":{}},"parameters":${schema}}}`,
    `{"name":"o","function":{"description":"wrapped"},"definition":{"description":"inner"}}`,
    `{${inside},"parameters":{"title":"the root's"},"input_schema":${schema}}`,
    `{"name":"o","description":"","function":{${inside}},"parameters":${schema}}`,
    `{"name":""}`,
    // Keys with the same hash as "name" and "title".
    `{"nbNe":"x","name":"t","parameters":{"items":{"title":"T","tjUle":"U"}}}`,
    `{"name":"__proto__","parameters":{"properties":{"__proto__":{"description":"P"},"constructor":{}}}}`,
  ])('%s', (text) => {
    expect(fromText(text)).toEqual(fromParsing(text));
    expect(fromText(JSON.stringify(JSON.parse(text), null, '\t'))).toEqual(fromParsing(text));
  });
});

describe('reads as parsing does, without giving up, the schema', () => {
  test.each([
    '{"properties":{"a":{"items":{"description":"one"}},"b":{"items":[{"const":"x"},{"const":-3}]}}}',
    '{"properties":{"a":{"anyOf":[{"title":"T"},null,[]],"oneOf":{"title":"U"},"allOf":[{"enum":["v",0.5,true]}]}}}',
    '{"properties":{"a":{"additionalProperties":{"title":"A"},"prefixItems":[{"title":"B"}]},"b":5,"c":null}}',
    '{"properties":{"a":{"patternProperties":{"^\\\\d":{"title":"A"}}}}}',
    '{"properties":{"a":{"patternProperties":{"^x":{"title":"A"},"^y":[{"title":"no list"}]}}}}',
    '{"title":"the root\'s","anyOf":[{"title":"below it"}],"const":5}',
    '{"properties":[{"a":{}}],"enum":"x","items":7,"patternProperties":[],"$ref":3,"description":["d"]}',
    '{"properties":{"\\u0061":{"description":"\\ud83d"}}}',
    '{"properties":{"größe":{"description":"Größe \\"x\\" in ½ \\u006dm"},"größi":{"description":"漢字 😀"}}}',
    '{"properties":{"a":{"description":"\\n\\r\\t\\b\\f\\/\\\\ and \\"more\\""},"b":{"description":"","enum":["","x",""]}},"description":""}',
    '{"properties":{"a":{"default":{"x":1,"x":2,"$ref":"#","\\u0061":{}}},"":{"description":"no name"}}}',
    '{"properties":{"a1":{},"1a":{},"-1":{},"1.0":{}}}',
    '{"properties":{"a":{"enum":[0,-1,0.5,-0.25,10.125,123456789012345,0.00000125,0.1234567890123]}}}',
  ])('%s', (schema) => {
    const text = `{"name":"t","parameters":${schema}}`;
    expect(fromSchema(schema)).toEqual(fromParsing(text)?.slice(2));
  });

  test('of many levels and many parameters', () => {
    const deep = `${'{"items":'.repeat(40)}{"description":"down there"}${'}'.repeat(40)}`;
    expect(fromSchema(deep)).toEqual(['', 'down there']);
    const many = Array.from({ length: 128 }, (_, index) => `"p${index}":{"description":"D${index}"}`);
    const text = `{"name":"t","parameters":{"properties":{${many}}}}`;
    expect(fromText(text)).toEqual(fromParsing(text));
  });
});

describe('gives up on', () => {
  test.each([
    ['what is no JSON', '{"name":"t",}'],
    ['what is no object', '["name","t"]'],
    ['a tool without a name', '{"description":"d"}'],
    ['a name that is no string', '{"name":5,"definition":{"name":"i"}}'],
    ['a description that is no string', '{"name":"t","description":{}}'],
    ['a definition that is no object', '{"name":"t","definition":[]}'],
    ['a misplaced schema', '{"name":"t","parameters":"none"}'],
    ['a misplaced schema in a wrapper', '{"name":"t","definition":{"function":{"inputSchema":[1]}}}'],
    ['a vector', '{"name":"t","vector":[1]}'],
    ['two wrappers', '{"name":"t","function":{},"toolSpec":{}}'],
    ['a name that stands twice', '{"name":"t","name":"u"}'],
    ['a name that is escaped', '{"name":"t","n\\u0061me":"u"}'],
    ['a keyword that stands twice', '{"name":"t","parameters":{"title":"a","title":"b"}}'],
    ['a keyword that is escaped', '{"name":"t","parameters":{"\\u0074itle":"a"}}'],
    ['a parameter that stands twice', '{"name":"t","parameters":{"properties":{"a":{},"b":{},"a":{}}}}'],
    ['a parameter that is escaped', '{"name":"t","parameters":{"properties":{"a":{},"\\u0061":{}}}}'],
    ['a parameter that is a number', '{"name":"t","parameters":{"properties":{"b":{},"1":{}}}}'],
    ['a pattern that is a number', '{"name":"t","parameters":{"patternProperties":{"b":{},"1":{}}}}'],
    ['a reference', '{"name":"t","parameters":{"properties":{"a":{"$ref":"#"}}}}'],
    ...[
      '1e2',
      '1E2',
      '1.0',
      '0.50',
      '-0',
      '-0.0',
      '0.0000001',
      '1234567890123456',
      '0.12345678901234567',
    ].map((number) => [`the number ${number}`, `{"name":"t","parameters":{"const":${number}}}`]),
    ['a long description', `{"name":"t","description":"${'d'.repeat(8_193)}"}`],
    ['a long text', `{"name":"t","parameters":{"description":"${'d'.repeat(8_193)}"}}`],
    ['a long name of a parameter', `{"name":"t","parameters":{"properties":{"${'d'.repeat(1_025)}":{}}}}`],
    ['a large tool', `{"name":"t","x":[${'"0123456789",'.repeat(2_600)}0]}`],
    [
      '129 parameters',
      `{"name":"t","parameters":{"properties":{${Array.from({ length: 129 }, (_, index) => `"p${index}":{}`)}}}}`,
    ],
    ['a tool that is cut off', '{"name":"t"'],
  ])('%s', (_, text) => {
    expect(fromText(text)).toBe(undefined);
  });
});

test('takes texts just as long as may be', () => {
  const text = `{"name":"t","description":"${'d'.repeat(8_192)}","parameters":{"properties":{"${'n'.repeat(1_024)}":{"title":"${'t'.repeat(8_192)}"}}}}`;
  expect(fromText(text)).toEqual(fromParsing(text));
});

test('takes the bytes of its array alone: they may end with the tool', () => {
  const list = new PieceList();
  const bytes = Buffer.from('{"name":"t"}');
  expect(readToolFromBytes(bytes, 0, list)).toBe(bytes.length);
  expect(list.pieces).toEqual(['t', '']);
});

test('gives up on no tool of common catalogues, in any shape, and reads them as parsing does', () => {
  for (const tool of generateTools({ count: 20, seed: 3 })) {
    const values = TOOL_SHAPES.flatMap((shape) => [toProviderTool(tool, shape), toSearchTool(tool, shape)]);
    const texts = values.map((value) => JSON.stringify(value));
    expect(texts.map(fromText)).toEqual(texts.map(fromParsing));
  }
});

test('whatever the bytes, gives up or reads what parsing gives', () => {
  const random = createRandom(20261123);
  const texts = seedTexts(4);
  let taken = 0;
  for (let round = inject('isExhaustive') ? 200_000 : 2_000; round > 0; round--) {
    const read = readBetweenOthers(mutate(random, random.pick(texts)));
    if (read === undefined) continue;
    taken++;
    const pieces = parsedPieces(read.tool);
    const text = read.tool.toString('latin1');
    if (JSON.stringify(read.pieces) !== JSON.stringify(pieces)) {
      expect({ text, pieces: read.pieces }).toEqual({ text, pieces });
    }
  }
  // Enough of them are tools still for the comparison to mean something.
  expect(taken).toBeGreaterThan(300);
});
