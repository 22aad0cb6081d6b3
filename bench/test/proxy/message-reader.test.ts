import { expect, test } from 'vitest';
import { MessageReader } from '../../src/proxy/message-reader.ts';

const WITH_LENGTH = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello';
const IN_CHUNKS =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n';
const WITHOUT_BODY = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

test.each([
  ['a length', WITH_LENGTH],
  ['chunks', IN_CHUNKS],
  ['no body', WITHOUT_BODY],
])('finds the end of a message with %s at its last byte, however it is split', (_, message) => {
  const bytes = Buffer.from(message);
  for (let split = 1; split < bytes.length; split += 1) {
    const reader = new MessageReader();
    reader.feed(bytes.subarray(0, split));
    expect(reader.isComplete, `after ${split} bytes`).toBe(false);
    reader.feed(bytes.subarray(split));
    expect(reader.isComplete, `split at ${split}`).toBe(true);
  }
});

test('finds the end when every byte comes alone', () => {
  const reader = new MessageReader();
  const ends = [...Buffer.from(IN_CHUNKS)].map((byte) => {
    reader.feed(Buffer.from([byte]));
    return reader.isComplete;
  });
  expect(ends.indexOf(true)).toBe(IN_CHUNKS.length - 1);
});

test('tells the status with the end of the head, and the body with its first byte', () => {
  const headLength = WITH_LENGTH.indexOf('hello');
  const reader = new MessageReader();
  reader.feed(Buffer.from(WITH_LENGTH.slice(0, headLength - 1)));
  expect(reader.status).toBe(0);
  reader.feed(Buffer.from('\n'));
  expect([reader.status, reader.hasBody]).toEqual([200, false]);
  reader.feed(Buffer.from('h'));
  expect(reader.hasBody).toBe(true);
});

test('reads a request as well as a response', () => {
  const reader = new MessageReader();
  reader.feed(
    Buffer.from('POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\nX-Bench-Answer: whole\r\n\r\n{'),
  );
  expect(reader.head).toContain('X-Bench-Answer: whole');
  expect(reader.isComplete).toBe(false);
  reader.feed(Buffer.from('}'));
  expect(reader.isComplete).toBe(true);
});

test('takes a message without length and without chunks for one without a body', () => {
  const reader = new MessageReader();
  reader.feed(Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
  expect([reader.hasBody, reader.isComplete]).toEqual([false, true]);
});

test('finds a text in the body, wherever the pieces are split, and never in the head', () => {
  const bytes = Buffer.from(
    'HTTP/1.1 200 OK\r\nX-Text: Here are\r\nContent-Length: 16\r\n\r\n{"a":"Here are"}',
  );
  const end = bytes.lastIndexOf('Here are') + 'Here are'.length;
  for (let split = 1; split < bytes.length; split += 1) {
    const reader = new MessageReader('Here are');
    reader.feed(bytes.subarray(0, split));
    expect(reader.hasText, `after ${split} bytes`).toBe(split >= end);
    reader.feed(bytes.subarray(split));
    expect(reader.hasText, `split at ${split}`).toBe(true);
  }
});
