import { expect, test } from 'vitest';
import type { WireEvent } from '../../src/framing/framing.ts';
import { jsonArray } from '../../src/framing/json-array.ts';
import { decodeAll, encodeAll } from '../frames.ts';
import { testFramingContract } from './framing-contract.ts';

const elements = ['{"a":"世界 👋 ]},{["}', '[1,[2]]', '"x\\"]"', '-1.0', 'null', '{}'];

testFramingContract({
  framing: jsonArray,
  bodies: [
    { name: 'elements on lines of their own', text: `[${elements.join('\n,\r\n')}\n]\n`, says: elements },
    { name: 'elements close together', text: `[${elements.join(',')}]`, says: elements },
    { name: 'elements far apart', text: ` \n[ ${elements.join(' , ')} ] `, says: elements },
    {
      name: 'what is no array',
      text: '\n{"error":{"code":[400]}}\n',
      says: ['\n{"error":{"code":[400]}}\n'],
    },
  ],
  endless: '[{"a":"',
});

test('returns each element as soon as it is complete', () => {
  const decoder = jsonArray.createDecoder(1000);
  expect(decoder.push(new TextEncoder().encode('[{"a":1}'))).toMatchObject([{ data: '{"a":1}' }]);
});

test('writes an empty array unchanged, and one end for several bodies', () => {
  const read = (text: string) => decodeAll(jsonArray, [new TextEncoder().encode(text)]);
  expect(encodeAll(jsonArray, read('[ ]'))).toBe('[ ]');
  expect(encodeAll(jsonArray, [...read('[1\n]'), ...read('[2]\n')])).toBe('[1,2]\n');
  expect(encodeAll(jsonArray, [...read('[]'), ...read('[2]')])).toBe('[2]');
});

test('writes new elements as an array, and nothing without elements', () => {
  const made: WireEvent[] = [
    { kind: 'event', data: '{}' },
    { kind: 'event', data: '2' },
  ];
  expect(encodeAll(jsonArray, made)).toBe('[\n{},\n2\n]');
  expect(encodeAll(jsonArray, [])).toBe('');
});
