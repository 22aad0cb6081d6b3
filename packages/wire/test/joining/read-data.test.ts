import { expect, test } from 'vitest';
import type { StreamEvent } from '../../src/framing/framing.ts';
import { readData, readDataFirst } from '../../src/joining/read-event.ts';

function eventOf(data: string): StreamEvent {
  return { kind: 'event', data };
}

test('parses an event once for two readers', () => {
  const event = eventOf('{"a":1}');
  const first = readDataFirst(event);
  expect(first).toEqual({ a: 1 });
  expect(readDataFirst(event)).toBe(first);
  expect(readData(event)).toBe(first);
});

test('reads each event by itself, even with equal data', () => {
  const first = readDataFirst(eventOf('{"a":1}'));
  const read = readData(eventOf('{"a":1}'));
  expect(read).toEqual({ a: 1 });
  expect(read).not.toBe(first);
});

test('reads nothing in data that is not an object', () => {
  for (const data of ['[DONE]', '[1]', '{"a":']) {
    const event = eventOf(data);
    expect([readDataFirst(event), readData(event)], data).toEqual([undefined, undefined]);
  }
});
