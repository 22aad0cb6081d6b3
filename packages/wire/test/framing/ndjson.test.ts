import { expect, test } from 'vitest';
import { ndjson } from '../../src/framing/ndjson.ts';
import { decodeAll, encodeAll } from '../frames.ts';
import { testFramingContract } from './framing-contract.ts';

const lines = '{"a":"世界 👋"}\n\n {"b": 1.0} \n[]\n';
const says = ['{"a":"世界 👋"}', '{"b": 1.0}', '[]'];

testFramingContract({
  framing: ndjson,
  bodies: [
    { name: 'lines that end in LF', text: lines, says },
    { name: 'lines that end in CRLF', text: lines.replaceAll('\n', '\r\n'), says },
    { name: 'a last line without its end', text: lines.slice(0, -1), says },
  ],
  endless: '{"a":"',
});

test('keeps an event that was made with line breaks on one line', () => {
  expect(encodeAll(ndjson, [{ kind: 'event', name: 'x', data: '{\n  "a": 1\r\n}' }])).toBe('{   "a": 1 }\n');
});

test.each(['\n', '\r\n', ' \n'])(
  'reads any number of blank lines between two lines as one comment',
  (line) => {
    const gap = line.repeat(10_000);
    expect(decodeAll(ndjson, [Buffer.from(`{}\n${gap}[]\n`), Buffer.from(gap)])).toMatchObject([
      { kind: 'event', data: '{}' },
      { kind: 'comment', source: { text: gap } },
      { kind: 'event', data: '[]' },
      // The first line of a piece may have begun in an earlier one.
      { kind: 'comment', source: { text: line } },
      { kind: 'comment', source: { text: gap.slice(line.length) } },
    ]);
  },
);
