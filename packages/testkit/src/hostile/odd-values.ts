import type { EventsInput } from './answer-shapes.ts';

/** JSON values for any position. */
export const ODD_VALUES: Readonly<Record<string, (input: EventsInput) => string>> = {
  'nothing odd': () => '"All is well."',
  'deep arrays': ({ size }) => nested('[', ']', size / 2),
  'deep objects': ({ size }) => nested('{"a":', '}', size / 6),
  'a million values': ({ random, size }) =>
    `[${`${random.pick(['{}', '[]', '1', 'null', '""'])},`.repeat(size / 3)}1]`,
  'a million members': ({ size }) => `{${Array.from({ length: size / 12 }, (_, at) => `"k${at}":1`)}}`,
  'endless text': ({ random, size }) =>
    `"${random.pick(['a ', '\\\\', '\\"', '\\u0000', '世', '\\ud800']).repeat(size / 6)}"`,
  'names of prototypes': () => '{"__proto__":{"polluted":true},"constructor":null,"toString":1}',
  'half characters': () => '"\\ud800 \\udc00"',
  'odd numbers': ({ random }) => random.pick(['-1', '1e999', '-0', '0.1', '9007199254740993', '1e-999']),
  'another type': ({ random }) =>
    random.pick(['null', 'true', '1', '[]', '{}', '[[]]', '[null,null]', '"x"']),
  'no JSON': ({ random }) => random.pick(['{', '[', '"', 'undefined', 'NaN', '<a/>', '\\', '\0']),
};

function nested(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}
