import { ToolListRecord } from '@winnow/core';
import { expect, test } from 'vitest';
import { ListLines } from '../src/records/record-sink.ts';

const HOUR_MS = 3_600_000;

function linesAt(start: number) {
  let now = start;
  const pass = (ms: number) => {
    now += ms;
  };
  return { lines: new ListLines(() => now), pass };
}

const list = (id: string, chars = 0) => ({
  id,
  json: JSON.stringify([
    { name: 'read', bytes: 8, kept: true },
    ...(chars ? [{ name: 'x'.repeat(chars), bytes: 1 }] : []),
  ]),
});

test('a list is a line of its own, valid by its schema', () => {
  const line = linesAt(Date.UTC(2026, 10, 21)).lines.lineBefore(list('a'));
  expect(line).toBe(
    '{"version":1,"event":"tool_list","time":"2026-11-21T00:00:00.000Z","id":"a","tools":[{"name":"read","bytes":8,"kept":true}]}\n',
  );
  expect(ToolListRecord.strict().safeParse(JSON.parse(line)).success).toBe(true);
});

test('a list is written once an hour while it is used', () => {
  const { lines, pass } = linesAt(0);
  expect(lines.lineBefore(list('a'))).not.toBe('');
  expect(lines.lineBefore(list('a'))).toBe('');
  expect(lines.lineBefore(list('b'))).not.toBe('');
  pass(HOUR_MS);
  expect(lines.lineBefore(list('a'))).not.toBe('');
  expect(lines.lineBefore(list('a'))).toBe('');
});

test('a client with other tools each time cannot fill the files: what does not fit is written later', () => {
  const { lines, pass } = linesAt(0);
  const written = Array.from({ length: 20 }, (_, at) => lines.lineBefore(list(`list-${at}`, 100_000)));
  expect(written.filter(Boolean)).toHaveLength(10);
  expect(lines.lineBefore(list('a'))).toBe('');
  pass(60_000);
  expect(lines.lineBefore(list('a'))).not.toBe('');
});
