import { describe, expect, test } from 'vitest';
import {
  createEventDecoder,
  isEventStream,
  OverlongEvent,
  readEvents,
  type WireEvent,
  writeComment,
  writeEvent,
} from '../src/sse.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const event = (data: string, more: Partial<WireEvent> = {}) => ({
  kind: 'event',
  name: undefined,
  id: undefined,
  data,
  ...more,
});

function decode(pieces: readonly Uint8Array[], limitChars?: number): WireEvent[] {
  const decoder = createEventDecoder(limitChars);
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()];
}

describe('reading a stream', () => {
  const stream = [
    ': hello\n\n',
    'event: start\nid: 7\ndata: {"a":"世界 👋"}\n\n',
    'data: one\ndata: two\n\n',
    'retry: 5\nunknown: field\ndata:tight\n\n',
    'data: last',
  ].join('');
  const wanted = [
    { kind: 'comment', text: 'hello' },
    event('{"a":"世界 👋"}', { name: 'start', id: '7' } as never),
    event('one\ntwo'),
    event('tight'),
    event('last'),
  ];

  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('reads the same events cut anywhere, lines ending in %s', (_, lineEnd) => {
    const all = bytes(stream.replaceAll('\n', lineEnd));
    for (let at = 0; at <= all.length; at += 1) {
      expect(decode([all.subarray(0, at), all.subarray(at)]), `cut at ${at}`).toEqual(wanted);
    }
    expect(decode(Array.from(all, (byte) => Uint8Array.of(byte)))).toEqual(wanted);
  });

  test('drops a byte order mark', () => {
    expect(decode([Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf), bytes('data: x\n\n')])).toEqual([
      event('x'),
    ]);
  });

  test('gives an event as soon as its blank line is there', () => {
    const decoder = createEventDecoder();
    expect(decoder.push(bytes('data: x\n'))).toEqual([]);
    expect(decoder.push(bytes('\n'))).toEqual([event('x')]);
  });

  test('takes a line of megabytes', () => {
    const long = 'x'.repeat(5_000_000);
    expect(decode([bytes(`data: ${long}`), bytes(`${long}\n\n`)])).toEqual([event(long + long)]);
  });

  test('gives no more events once one is beyond the limit', () => {
    const pieces = ['data: a\n\n', `data: ${'x'.repeat(200)}`, 'y\n\n', 'data: b\n\n'].map(bytes);
    expect(decode(pieces, 100)).toEqual([event('a')]);
  });
});

describe('reading a body', () => {
  async function* body(...pieces: string[]): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield bytes(piece);
  }
  const read = async (pieces: string[], contentType: string | undefined) => {
    const events: WireEvent[] = [];
    for await (const each of readEvents(body(...pieces), contentType)) events.push(each);
    return events;
  };

  test('reads an event stream as events', async () => {
    expect(await read(['data: a\n', '\ndata: b\n\n'], 'text/event-stream; charset=utf-8')).toEqual([
      event('a'),
      event('b'),
    ]);
  });

  test.each(['application/json', undefined, 'text/html'])('reads %s in one piece', async (contentType) => {
    expect(await read(['\ufeff{"a":', '1}'], contentType)).toEqual([
      { kind: 'whole', text: '\ufeff{"a":1}' },
    ]);
  });

  test.each([
    ['an event', 'text/event-stream', ['event']],
    ['a whole body', 'application/json', []],
  ])('reads no more of %s that never ends than it may hold', async (_, contentType, kinds) => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield bytes('data: {}\n\ndata: ');
      for (;;) yield bytes('x');
    }
    const events: WireEvent[] = [];
    const reading = async () => {
      for await (const each of readEvents(endless(), contentType, 100)) events.push(each);
    };
    await expect(reading()).rejects.toThrow(OverlongEvent);
    expect(events.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('pulls no more than it is asked for', async () => {
    const pulled: number[] = [];
    async function* counted(): AsyncGenerator<Uint8Array> {
      for (let piece = 1; piece <= 3; piece += 1) {
        pulled.push(piece);
        yield bytes(`data: ${piece}\n\n`);
      }
    }
    const events = readEvents(counted(), 'text/event-stream');
    await events.next();
    expect(pulled).toEqual([1]);
  });
});

describe('writing', () => {
  test('writes what is read again', () => {
    const events: WireEvent[] = [
      { kind: 'event', name: 'start', id: '1', data: 'a\nb' },
      { kind: 'event', name: undefined, id: undefined, data: '{}' },
    ];
    const text = events.map((each) => writeEvent(each as never)).join('');
    expect(text).toBe('event: start\nid: 1\ndata: a\ndata: b\n\ndata: {}\n\n');
    expect(decode([bytes(text)])).toEqual(events);
  });

  test('writes comments', () => {
    expect(writeComment('OPENROUTER PROCESSING')).toBe(': OPENROUTER PROCESSING\n\n');
  });

  test.each([
    ['text/event-stream', true],
    ['Text/Event-Stream;charset=utf-8', true],
    ['application/json', false],
    [undefined, false],
  ])('knows a stream by its content type: %s', (contentType, isStream) => {
    expect(isEventStream(contentType)).toBe(isStream);
  });
});
