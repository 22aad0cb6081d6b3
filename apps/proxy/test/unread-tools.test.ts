import { describe, expect, test } from 'vitest';
import { plainPath, ToolsScan } from '../src/exchange/unread-tools.ts';

const found = (...pieces: readonly string[]): boolean => {
  const scan = new ToolsScan();
  for (const piece of pieces) scan.add(Buffer.from(piece));
  return scan.hasFound;
};

describe('a list of tools in a passing body', () => {
  test.each([
    ['{"model":"m","tools":[{"type":"function"}]}', true],
    ['{"tools" : [\n  {"type":"function"}]}', true],
    [`${' '.repeat(1_000)}{"config":{"tools":[{}]}}`, true],
    ['{"tools":[]}', false],
    ['{"tools":[ ]}', false],
    ['{"tools":{"a":[1]}}', false],
    ['{"text":"\\"tools\\":[{}]"}', false],
    ['{"tool":[{}],"toolset":[{}]}', false],
    ['', false],
  ])('is found at every split of the body: %s', (body, expected) => {
    expect(found(body)).toBe(expected);
    for (let at = 0; at <= body.length; at++) {
      expect(found(body.slice(0, at), body.slice(at)), `cut at ${at}`).toBe(expected);
    }
    expect(found(...body)).toBe(expected);
  });
});

test.each([
  ['/v1/responses', '/v1/responses'],
  ['/v1beta/models/gemini-3:generateContent', '/v1beta/models/…'],
  ['/model/anthropic.claude/converse-stream', '/model/…/converse-stream'],
  ['/v1/threads/thread_abc123/runs', '/v1/threads/…/runs'],
  ['/Secret/sk-0123456789abcdef', '/…/…'],
  ['/', '/…'],
])('the path %s is logged as %s', (path, told) => {
  expect(plainPath(path)).toBe(told);
});
