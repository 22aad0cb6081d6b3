import { describe, expect, it } from 'vitest';
import { buildFromBody } from '../../src/catalogues/build-catalogue.ts';

const START = 23;
const build = (array: string) =>
  buildFromBody(
    { bytes: Buffer.from(`{"pattern":"a","tools":${array},"top_k":1}`), toolsStart: START, maxTools: 3 },
    () => 0,
  );

describe('the places of tools', () => {
  it.each([
    ['[]', []],
    ['[ ]', []],
    ['[{"name":"a"}]', ['{"name":"a"}']],
    ['[ {"name":"]"} , {"name":"b","b":[{}]}\n]', ['{"name":"]"}', '{"name":"b","b":[{}]}']],
    ['[{"name":"\\"}"},{"name":"\\\\"}]', ['{"name":"\\"}"}', '{"name":"\\\\"}']],
    ['[\n{"é日本":{},"name":"日"}\t]', ['{"é日本":{},"name":"日"}']],
    ['[{"name":"a"},{"name":"a"},{"name":"a"}]', ['{"name":"a"}', '{"name":"a"}', '{"name":"a"}']],
  ])('are found in %s, and its end', (array, tools) => {
    const { catalogue, places } = build(array);
    const offsets = places!.offsets;
    const bytes = Buffer.from(array);
    const found = tools.map((_, tool) =>
      bytes.subarray(offsets[2 * tool]!, offsets[2 * tool + 1]!).toString(),
    );
    expect(found).toEqual(tools);
    expect([...offsets.slice(2 * tools.length)]).toEqual([bytes.length]);
    expect(catalogue!.size).toBe(tools.length);
  });

  const tool = '{"name":"a"}';
  it.each([
    ...[
      '[1]',
      `[${tool},]`,
      `[,${tool}]`,
      `[${tool}${tool}]`,
      `[${tool}`,
      '[{"name":"',
      '[[]]',
      '["x"]',
      `[${tool}}`,
    ],
    ...['[{}]', '[{"name":"a",}]', '[{"name":"\u0001"}]', `[${tool},${tool},${tool},${tool}]`],
  ])('are not found in %s, which is refused', (array) => {
    expect(() => build(array)).toThrow();
  });

  it('are found of ordinary tools and of others side by side, whose texts are read alike', () => {
    const tools = [
      {
        name: 'get_weather',
        description: 'Says “sunny”.\n',
        parameters: { properties: { city: { type: 'string' } } },
      },
      {
        name: 'by_ref',
        parameters: { $defs: { a: { description: 'of a' } }, properties: { b: { $ref: '#/$defs/a' } } },
      },
      { name: 'schnörkel', input_schema: { properties: { 2: { enum: [1.5] }, x: { title: 'X' } } } },
    ];
    const { catalogue } = build(JSON.stringify(tools));
    const texts = (position: number) => [
      catalogue!.table.name(position),
      catalogue!.table.description(position),
      ...catalogue!.table.parameterPieces(position),
    ];
    expect([0, 1, 2].map(texts)).toEqual([
      ['get_weather', 'Says “sunny”.\n', 'city', ''],
      ['by_ref', '', 'b', 'of a'],
      ['schnörkel', '', '2', '1.5', 'x', 'X'],
    ]);
  });

  it('are not given where the text around them cannot stand for the request', () => {
    const bytes = Buffer.from(`{"pattern":"a","tools":[${tool}],"tools":[{"name":"b"}]}`);
    const { catalogue, places } = buildFromBody({ bytes, toolsStart: START, maxTools: 3 }, () => 0);
    expect(places).toBeUndefined();
    expect(catalogue!.table.name(0)).toBe('b');
  });
});
