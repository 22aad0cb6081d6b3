import { describe, expect, it } from 'vitest';
import { findToolPlaces } from '../../src/catalogues/tool-places.ts';

const find = (array: string) => findToolPlaces(Buffer.from(`{"tools":${array},"b":[1]}`), 9);

describe('the places of tools', () => {
  it.each([
    ['[]', []],
    ['[ ]', []],
    ['[{}]', ['{}']],
    ['[ {"a":"]"} , {"b":[{}]}\n]', ['{"a":"]"}', '{"b":[{}]}']],
    ['[{"a":"\\"}"},{"b":"\\\\"}]', ['{"a":"\\"}"}', '{"b":"\\\\"}']],
    ['[\n{"é日本":{}}\t]', ['{"é日本":{}}']],
  ])('are found in %s, and its end', (array, tools) => {
    const offsets = find(array)!.offsets;
    const bytes = Buffer.from(array);
    const found = tools.map((_, tool) =>
      bytes.subarray(offsets[2 * tool]!, offsets[2 * tool + 1]!).toString(),
    );
    expect(found).toEqual(tools);
    expect([...offsets.slice(2 * tools.length)]).toEqual([bytes.length]);
  });

  it.each(['[1]', '[{},]', '[,{}]', '[{}{}]', '[{}', '[{"a":"', '[[]]', '["x"]', '[{}}'])(
    'are not found in %s',
    (array) => {
      expect(findToolPlaces(Buffer.from(array), 0)).toBeUndefined();
    },
  );
});
