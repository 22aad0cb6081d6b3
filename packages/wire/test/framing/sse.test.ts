import { describe, expect, test } from 'vitest';
import type { WireEvent } from '../../src/framing/framing.ts';
import { sse } from '../../src/framing/sse.ts';
import { decodeAll, encodeAll } from '../frames.ts';
import { testFramingContract } from './framing-contract.ts';

const stream = [
  ': hello\n\n',
  'event: start\nid: 7\ndata: {"a":"世界 👋"}\n\n',
  'data: one\ndata: two\n\n',
  'retry: 5\n\n\n',
  'unknown: field\n: a comment within\ndata:tight\n\n',
  ':\n:\n',
  'data: last\n\n',
].join('');
const says = ['{"a":"世界 👋"}', 'one\ntwo', 'tight', 'last'];

testFramingContract({
  framing: sse,
  bodies: [
    { name: 'lines that end in LF', text: stream, says },
    { name: 'lines that end in CRLF', text: stream.replaceAll('\n', '\r\n'), says },
    { name: 'lines that end in CR', text: stream.replaceAll('\n', '\r'), says },
    { name: 'a last event without its blank line', text: stream.slice(0, -1), says },
    { name: 'a last event without a line end', text: stream.slice(0, -2), says },
    { name: 'a last comment without a line end', text: `${stream}: bye`, says },
  ],
  endless: 'data: ',
});

const bytes = (text: string) => new TextEncoder().encode(text);
const decode = (...pieces: (string | Uint8Array)[]) =>
  decodeAll(
    sse,
    pieces.map((piece) => (typeof piece === 'string' ? bytes(piece) : piece)),
  );

describe('reading', () => {
  test('reads names, ids and comments', () => {
    const source = (text: string) => ({ framing: 'sse', text });
    expect(decode(': hello\n\nevent: start\nid: 7\ndata: x\n\n')).toEqual([
      { kind: 'comment', text: 'hello', source: source(': hello\n\n') },
      {
        kind: 'event',
        name: 'start',
        id: '7',
        data: 'x',
        source: source('event: start\nid: 7\ndata: x\n\n'),
      },
    ]);
  });

  test.each([
    ['blank lines', '\n', ''],
    ['blank lines that end in CRLF', '\r\n', ''],
    ['comments', ': alive\n\n', 'alive'],
  ])('reads any number of %s between two events as one comment', (_, line, text) => {
    const gap = line.repeat(10_000);
    const events = decode(`data: 1\n\n${gap}data: 2\n\n${gap}`);
    expect(events).toMatchObject([
      { kind: 'event', data: '1' },
      { kind: 'comment', text, source: { text: gap } },
      { kind: 'event', data: '2' },
      { kind: 'comment', text, source: { text: gap } },
    ]);
  });

  test('reads no event with very many lines', () => {
    const decoder = sse.createDecoder(Number.MAX_SAFE_INTEGER);
    expect(decoder.push(bytes('data: 1\n\n'))).toHaveLength(1);
    expect(decoder.push(bytes('data:\n'.repeat(60_000)))).toEqual([]);
    expect(decoder.isOverflown).toBe(false);
    expect(decoder.push(bytes('data:\n'.repeat(60_000)))).toEqual([]);
    expect(decoder.isOverflown).toBe(true);
    expect([...decoder.push(bytes('\n\ndata: 2\n\n')), ...decoder.end()]).toEqual([]);
  });

  test('counts the lines of each event on their own', () => {
    const event = `${'data:\n'.repeat(60_000)}\n`;
    expect(decode(event, event)).toHaveLength(2);
  });

  test('drops a byte order mark', () => {
    const events = decode(Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf), 'data: x\n\n');
    expect(encodeAll(sse, events)).toBe('data: x\n\n');
  });

  test('returns an event as soon as its blank line arrives, and a comment as soon as its line does', () => {
    const decoder = sse.createDecoder(1000);
    expect(decoder.push(bytes('data: x\n'))).toEqual([]);
    expect(decoder.push(bytes('\n'))).toMatchObject([{ kind: 'event', data: 'x' }]);
    expect(decoder.push(bytes(': alive\n'))).toMatchObject([{ kind: 'comment', text: 'alive' }]);
    expect(decoder.push(bytes('data: y\r\r'))).toMatchObject([{ kind: 'event', data: 'y' }]);
  });

  test('leaves no half of a line end to the next event, which may be changed or left out', () => {
    const body = bytes('data: x\r\n\r\ndata: y\r\n\r\n');
    const wanted = decodeAll(sse, [body]);
    expect(wanted).toHaveLength(2);
    // Once the kind of line end is known.
    for (let at = 8; at < body.length; at += 1) {
      expect(decodeAll(sse, [body.subarray(0, at), body.subarray(at)]), `cut at ${at}`).toEqual(wanted);
    }
    expect(decodeAll(sse, [bytes('data: x\r\n\r')])).toMatchObject([{ kind: 'event', data: 'x' }]);
  });
});

describe('writing', () => {
  test('writes new or changed events in separate lines', () => {
    const events: WireEvent[] = [
      { kind: 'event', name: 'start', id: '1', data: 'a\nb' },
      { kind: 'event', data: '{}' },
      { kind: 'comment', text: 'keepalive' },
    ];
    expect(encodeAll(sse, events)).toBe(
      'event: start\nid: 1\ndata: a\ndata: b\n\ndata: {}\n\n: keepalive\n\n',
    );
  });

  test('writes no frame of another framing', () => {
    const event: WireEvent = { kind: 'event', data: '{}', source: { framing: 'ndjson', text: '{}\n' } };
    expect(encodeAll(sse, [event])).toBe('data: {}\n\n');
  });
});
