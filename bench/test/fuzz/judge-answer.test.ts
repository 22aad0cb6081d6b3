import { expect, test } from 'vitest';
import { judgeAnswer } from '../../src/fuzz/judge-answer.ts';

const frame = (type: number, flags: number, stream: number, payload: string) => {
  const body = Buffer.from(payload, 'latin1');
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]).toString('latin1');
};
const SETTINGS = frame(4, 0, 0, '');

test.each([
  ['', 'closed'],
  ['HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n', '400'],
  [SETTINGS + frame(1, 4, 1, '\x88') + frame(0, 1, 1, 'ok'), 'HTTP/2 200'],
  // Its table was made smaller.
  [SETTINGS + frame(1, 5, 1, '\x21\x88'), 'HTTP/2 200'],
  [SETTINGS + frame(1, 5, 1, '\x20\x3f\xe1\x1f\x88'), 'HTTP/2 200'],
  // 431 and 413 have no place in the table: packed, and not.
  [SETTINGS + frame(1, 5, 1, '\x48\x83\x69\x90\xff'), 'HTTP/2 431'],
  [SETTINGS + frame(1, 5, 1, '\x08\x03413'), 'HTTP/2 413'],
  [SETTINGS + frame(7, 0, 0, '\0\0\0\0\0\0\0\x0b'), 'goodbye 11'],
  [SETTINGS + frame(3, 0, 1, '\0\0\0\x01'), 'reset 1'],
  [SETTINGS, 'closed behind its settings'],
])('%j counts as %s', (received, outcome) => {
  expect(judgeAnswer(received)).toEqual({ outcome });
});

test.each([
  ['hello', 'no HTTP'],
  [SETTINGS + frame(12, 0, 0, ''), 'a frame of kind 12'],
  [SETTINGS + frame(5, 0, 1, ''), 'a frame of kind 5'],
  [SETTINGS + frame(1, 5, 1, '\0'), 'no status'],
  [SETTINGS + frame(1, 4, 1, '\x8e') + frame(0, 1, 1, 'oh'), 'broken: oh'],
  [SETTINGS + frame(1, 4, 1, '\x8c') + frame(0, 1, 1, '{}'), 'an error without a message: {}'],
])('%j is a fault: %s', (received, fault) => {
  expect(judgeAnswer(received).fault).toContain(fault);
});
