import { describe, expect, it } from 'vitest';
import { findTools, isLastTools } from '../../src/receive/find-tools.ts';

const find = (text: string) => findTools(Buffer.from(text));

describe('findTools', () => {
  it.each([
    ['first', '{"tools":[1]}', 9],
    ['behind a string with brackets and quotes', '{"pattern":"]}\\"{[","tools":[1]}', 28],
    ['behind nested values', '{"a":{"tools":[2],"b":[[{}]]},"tools":[1]}', 38],
    ['behind numbers and literals', '{"top_k":5,"x":null,"y":-1.5e3 ,"tools":[1]}', 40],
    ['with white space everywhere', ' {\n"tools"\t:\r [1]}', 14],
    ['behind a key that ends in an escaped backslash in a value', '{"a":"\\\\","tools":[1]}', 18],
    ['behind other letters of several bytes', '{"é":"日本","tools":[1]}', 23],
  ])('finds the array when it stands %s', (_, text, start) => {
    expect(find(text)).toEqual({ kind: 'found', start });
  });

  it.each([
    ['an array', '[{"tools":[]}]'],
    ['no object', '"tools"'],
    ['an object without tools', '{"pattern":"x"}'],
    ['an empty object', '{}'],
    ['tools that are no array', '{"tools":{"a":[]}}'],
    ['a key that is escaped', '{"\\u0074ools":[1]}'],
    ['an escaped key before the tools', '{"a\\n":1,"tools":[1]}'],
    ['a key without quotes', '{tools:[1]}'],
    ['a member without a colon', '{"pattern" "x","tools":[1]}'],
    ['UTF-16', Buffer.from('{"tools":[1]}', 'utf16le').toString('latin1')],
  ])('leaves %s to the parser', (_, text) => {
    expect(find(text)).toEqual({ kind: 'unknown' });
  });

  it('asks for more at every cut before the array, and never again after it', () => {
    const text = '{ "a" : "x\\"y" , "b":[{"tools":[]}], "n":12.5, "tools" : [{"name":"x"}]}';
    const start = text.lastIndexOf('[');
    for (let cut = 0; cut <= text.length; cut++) {
      const expected = cut <= start ? { kind: 'incomplete' } : { kind: 'found', start };
      expect(find(text.slice(0, cut)), `cut at ${cut}`).toEqual(expected);
    }
  });
});

describe('isLastTools', () => {
  it.each(['}', ' } \n', ',"pattern":"x"}', ' , "a":{"tools":[]} , "b":["tools"]}', ',"pattern":"\\u00e9"}'])(
    'is sure of %s',
    (rest) => {
      expect(isLastTools(Buffer.from(rest))).toBe(true);
    },
  );

  it.each([
    ['a second tools', ',"tools":[]}'],
    ['a second tools further on', ',"a":1,"tools":5}'],
    ['a key that may spell tools', ',"\\u0074ools":[]}'],
    ['an object that does not close', ',"a":1'],
    ['something that is no member', ' x}'],
    ['nothing at all', ''],
  ])('is not sure of %s', (_, rest) => {
    expect(isLastTools(Buffer.from(rest))).toBe(false);
  });
});
