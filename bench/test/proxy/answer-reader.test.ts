import { expect, test } from 'vitest';
import { AnswerReader } from '../../src/proxy/answer-reader.ts';

const WITH_LENGTH = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello';
const IN_CHUNKS =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n';
const WITHOUT_BODY = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

test.each([
  ['a length', WITH_LENGTH],
  ['chunks', IN_CHUNKS],
  ['no body', WITHOUT_BODY],
])('finds the end of an answer with %s at its last byte, however it is split', (_, answer) => {
  const bytes = Buffer.from(answer);
  for (let split = 1; split < bytes.length; split += 1) {
    const reader = new AnswerReader();
    reader.feed(bytes.subarray(0, split));
    expect(reader.isComplete, `after ${split} bytes`).toBe(false);
    reader.feed(bytes.subarray(split));
    expect(reader.isComplete, `split at ${split}`).toBe(true);
  }
});

test('finds the end when every byte comes alone', () => {
  const reader = new AnswerReader();
  const ends = [...Buffer.from(IN_CHUNKS)].map((byte) => {
    reader.feed(Buffer.from([byte]));
    return reader.isComplete;
  });
  expect(ends.indexOf(true)).toBe(IN_CHUNKS.length - 1);
});

test('tells the status with the end of the head, and the body with its first byte', () => {
  const headLength = WITH_LENGTH.indexOf('hello');
  const reader = new AnswerReader();
  reader.feed(Buffer.from(WITH_LENGTH.slice(0, headLength - 1)));
  expect(reader.status).toBe(0);
  reader.feed(Buffer.from('\n'));
  expect([reader.status, reader.hasBody]).toEqual([200, false]);
  reader.feed(Buffer.from('h'));
  expect(reader.hasBody).toBe(true);
});
