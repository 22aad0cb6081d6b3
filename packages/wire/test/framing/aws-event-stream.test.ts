import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { awsEventStream } from '../../src/framing/aws-event-stream.ts';
import type { WireEvent } from '../../src/framing/framing.ts';
import { MalformedFrames, readEvents } from '../../src/framing/read-events.ts';
import { decodeAll, encodeAll } from '../frames.ts';
import { testFramingContract } from './framing-contract.ts';

/** A header: its name, the number of its type and its bytes. */
type Header = readonly [name: string, type: number, value: readonly number[]];

/** Written from the specification, so that it shares nothing with the tested code. */
function frame(headers: readonly Header[], payload: string | Buffer): Buffer {
  const headerBytes = headers.flatMap(([name, type, value]) => [
    name.length,
    ...Buffer.from(name),
    type,
    ...value,
  ]);
  const body = Buffer.from(payload as string);
  const length = 16 + headerBytes.length + body.length;
  const prelude = [...uint32(length), ...uint32(headerBytes.length)];
  const start = [...prelude, ...uint32(crc32(Buffer.from(prelude))), ...headerBytes];
  const unchecked = Buffer.concat([Buffer.from(start), body]);
  return Buffer.concat([unchecked, Buffer.from(uint32(crc32(unchecked)))]);
}

function uint32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

function text(name: string, value: string): Header {
  const bytes = Buffer.from(value);
  return [name, 7, [bytes.length >> 8, bytes.length & 0xff, ...bytes]];
}

const eventFrame = (name: string, payload: string | Buffer) =>
  frame(
    [text(':event-type', name), text(':content-type', 'application/json'), text(':message-type', 'event')],
    payload,
  );

/** A header of every type. */
const ALL_TYPES: readonly Header[] = [
  ['true', 0, []],
  ['false', 1, []],
  ['byte', 2, [1]],
  ['short', 3, [0, 1]],
  ['integer', 4, [0, 0, 0, 1]],
  ['long', 5, [0, 0, 0, 0, 0, 0, 0, 1]],
  ['bytes', 6, [0, 2, 7, 7]],
  text(':message-type', 'event'),
  ['time', 8, [0, 0, 0, 0, 0, 0, 0, 1]],
  ['id', 9, Array.from({ length: 16 }, () => 3)],
  text(':event-type', 'of-all-types'),
];

const stream = [
  eventFrame('messageStart', '{"role":"assistant"}'),
  eventFrame('contentBlockDelta', '{"a":"世界 👋"}'),
  frame(ALL_TYPES, '{"b": 1.0}'),
  eventFrame('empty', ''),
  frame(
    [text(':message-type', 'exception'), text(':exception-type', 'throttlingException')],
    '{"message":"Slow"}',
  ),
];
const says = ['{"role":"assistant"}', '{"a":"世界 👋"}', '{"b": 1.0}', '', '{"message":"Slow"}'];

testFramingContract({
  framing: awsEventStream,
  bodies: [{ name: 'frames', text: Buffer.concat(stream).toString('latin1'), says }],
  endless: eventFrame('x', 'x'.repeat(1000)).subarray(0, 60).toString('latin1'),
  writeLong: (chars) => eventFrame('long', Buffer.alloc(chars, 'x')),
});

const decode = (...frames: Uint8Array[]) => decodeAll(awsEventStream, frames);

/** Reads to the end, or until reading fails. */
async function readAll(body: Uint8Array): Promise<{ events: WireEvent[]; error: unknown }> {
  const events: WireEvent[] = [];
  try {
    for await (const event of readEvents(
      (async function* () {
        yield body;
      })(),
      awsEventStream,
    ))
      events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

describe('reading', () => {
  test('reads names, and marks errors', () => {
    expect(decode(...stream)).toMatchObject([
      { kind: 'event', name: 'messageStart' },
      { name: 'contentBlockDelta' },
      { name: 'of-all-types' },
      { name: 'empty' },
      { name: 'throttlingException', isError: true },
    ]);
    expect(decode(...stream).filter((event) => 'isError' in event)).toHaveLength(1);
  });

  test('reads an error that has no payload', () => {
    const headers = [
      text(':message-type', 'error'),
      text(':error-code', 'Broken'),
      text(':error-message', 'All "is" lost'),
    ];
    expect(decode(frame(headers, ''))).toMatchObject([
      { name: 'Broken', isError: true, data: '{"message":"All \\"is\\" lost"}' },
    ]);
  });

  test('returns each event as soon as its last byte arrives', () => {
    const decoder = awsEventStream.createDecoder(10_000);
    const bytes = stream[0]!;
    expect(decoder.push(bytes.subarray(0, -1))).toEqual([]);
    expect(decoder.push(bytes.subarray(-1))).toHaveLength(1);
  });

  test('returns nothing for a frame that is cut off', () => {
    expect(decode(stream[0]!, stream[1]!.subarray(0, -1))).toHaveLength(1);
  });
});

describe('malformed frames', () => {
  const whole = stream[1]!;
  const changed = (change: (frame: Buffer) => void) => {
    const copy = Buffer.from(whole);
    change(copy);
    return copy;
  };
  const withLengths = (length: number, headerLength: number) => {
    const prelude = Buffer.from([...uint32(length), ...uint32(headerLength)]);
    return Buffer.concat([prelude, Buffer.from(uint32(crc32(prelude))), Buffer.alloc(20)]);
  };

  test('detects a change of any bit, and returns the events before it', async () => {
    for (let at = 0; at < whole.length; at += 1) {
      const broken = changed((frame) => {
        frame[at]! ^= 1 << (at % 8);
      });
      const { events, error } = await readAll(Buffer.concat([stream[0]!, broken, stream[2]!]));
      expect(error, `byte ${at}`).toBeInstanceOf(MalformedFrames);
      expect(events, `byte ${at}`).toHaveLength(1);
    }
  });

  test.each([
    ['a length without room for the checksums', withLengths(15, 0)],
    ['headers that are longer than their frame', withLengths(40, 25)],
    ['a frame of more than 16 MiB', withLengths(16 * 1024 * 1024 + 1, 0)],
    ['headers of more than 128 KiB', withLengths(1024 * 1024, 128 * 1024 + 1)],
    ['a length of nothing', withLengths(0, 0)],
    ['a header of an unknown type', frame([['x', 10, []]], '')],
    ['a header without a name', frame([['', 0, []]], '')],
    ['a header that ends behind its name', frame([['x', 4, [0]]], '')],
    ['a header whose text is longer than the headers', frame([['x', 7, [0, 9, 1]]], '')],
    ['a header without the second byte of its length', frame([['x', 7, [0]]], '')],
    ['a header whose name is longer than the headers', frameWithRawHeaders([200, 0x78])],
    ['what is another framing', Buffer.from('data: {"a":1}\n\n')],
  ])('refuses %s at once', async (_, body) => {
    expect((await readAll(body)).error).toBeInstanceOf(MalformedFrames);
    const decoder = awsEventStream.createDecoder(1024);
    for (const byte of body) decoder.push(Uint8Array.of(byte));
    expect(decoder.isMalformed).toBe(true);
    expect([...decoder.push(whole), ...decoder.end()]).toEqual([]);
  });

  function frameWithRawHeaders(headers: readonly number[]): Buffer {
    const prelude = [...uint32(16 + headers.length), ...uint32(headers.length)];
    const start = Buffer.from([...prelude, ...uint32(crc32(Buffer.from(prelude))), ...headers]);
    return Buffer.concat([start, Buffer.from(uint32(crc32(start)))]);
  }

  test('accepts a frame of 16 MiB', () => {
    const room = 16 * 1024 * 1024 - eventFrame('x', '').length;
    expect(decode(eventFrame('x', Buffer.alloc(room, 'x')))).toHaveLength(1);
  });
});

describe('writing', () => {
  test('writes a new event like AWS', () => {
    const made: WireEvent[] = [
      { kind: 'event', name: 'messageStop', data: '{"stopReason":"end_turn"}' },
      { kind: 'comment', text: 'alive' },
      { kind: 'event', name: 'throttlingException', data: '{"message":"Slow"}', isError: true },
    ];
    const exception = frame(
      [
        text(':exception-type', 'throttlingException'),
        text(':content-type', 'application/json'),
        text(':message-type', 'exception'),
      ],
      '{"message":"Slow"}',
    );
    const wanted = Buffer.concat([eventFrame('messageStop', '{"stopReason":"end_turn"}'), exception]);
    expect(encodeAll(awsEventStream, made)).toBe(wanted.toString('latin1'));
  });

  test('writes no frame of another framing', () => {
    const event: WireEvent = {
      kind: 'event',
      name: 'x',
      data: '{}',
      source: { framing: 'sse', text: 'data: {}\n\n' },
    };
    expect(encodeAll(awsEventStream, [event])).toBe(eventFrame('x', '{}').toString('latin1'));
  });
});
