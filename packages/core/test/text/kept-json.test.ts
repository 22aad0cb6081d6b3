import { describe, expect, test } from 'vitest';
import { changeKept, keptMember, keptText, parseKept, writeKept } from '../../src/index.ts';

const ODD = '{"b":1E400,"10":-0,"2":9007199254740993,"b":1.0,"\\u0061":"\\ud800\\/"}';

describe('JSON that is kept as it was written', () => {
  test('an object is written as its text, also as a member of members', () => {
    const message = parseKept(`{"params": {"arguments": ${ODD}}}`) as object;
    const given = keptMember(keptMember(message, 'params') as object, 'arguments');
    expect(given).toEqual({ a: '\ud800/', b: 1, 10: -0, 2: 9007199254740992 });
    expect(writeKept({ id: 1, none: undefined, params: { name: 'x', arguments: given } })).toBe(
      `{"id":1,"params":{"name":"x","arguments":${ODD}}}`,
    );
  });

  test('objects in a list remember theirs', () => {
    const [, second] = parseKept(` [1, ${ODD}]`) as unknown[];
    expect(writeKept(second)).toBe(ODD);
  });

  test('of equal keys, the last counts', () => {
    const object = parseKept(`{"a":{"x":1},"a":${ODD}}`) as object;
    expect(writeKept(keptMember(object, 'a'))).toBe(ODD);
    expect(keptText(object, 'a')).toBe(ODD);
    expect(keptText(object, 'none')).toBeUndefined();
  });

  test('a change leaves the rest of the text, and is seen in the value', () => {
    const object = parseKept(`{"list":[{"uri":"a","odd":${ODD}},2],"gone":null,"id":1.0}`) as object;
    const changed = changeKept(object, [
      { path: ['list', '0', 'uri'], value: '"b"' },
      { path: ['gone'], value: undefined },
      { path: ['new'], value: '[]' },
    ]);
    expect(writeKept(changed)).toBe(`{"list":[{"uri":"b","odd":${ODD}},2],"id":1.0,"new":[]}`);
    expect(changed).toMatchObject({ list: [{ uri: 'b' }, 2], id: 1, new: [] });
  });

  test('values without a text are written as JSON writes them', () => {
    expect(writeKept({ a: [1, { b: null }] })).toBe('{"a":[1,{"b":null}]}');
    expect(writeKept('x')).toBe('"x"');
    expect(keptText({ a: 1 }, 'a')).toBe('1');
  });
});
