import { expect, test } from 'vitest';
import { framingOf, json } from '../../src/framing/framings.ts';
import { testFramingContract } from './framing-contract.ts';

testFramingContract({
  framing: json,
  bodies: [
    { name: 'a body', text: '{"a":"世界 👋"}\n', says: ['{"a":"世界 👋"}\n'] },
    { name: 'a byte order mark', text: '\ufeff{}', says: ['\ufeff{}'] },
    { name: 'what is no JSON', text: '<html>', says: ['<html>'] },
  ],
  endless: '{"a":"',
});

test.each([
  ['text/event-stream', 'sse'],
  ['Text/Event-Stream;charset=utf-8', 'sse'],
  ['application/x-ndjson', 'ndjson'],
  ['application/json; charset=utf-8', 'json'],
  ['text/html', 'json'],
  [undefined, 'json'],
])('a body of type %s is framed as %s', (contentType, name) => {
  expect(framingOf(contentType).name).toBe(name);
});
