import { describe, expect, test } from 'vitest';
import { stackFrames } from '../src/log.ts';

describe('the frames of an error', () => {
  test('are its stack, innermost first', () => {
    const [first] = stackFrames(new TypeError('no'));
    expect(first).toContain('stack-frames.test.ts');
    expect(first).not.toMatch(/^at /);
  });

  test.each(['secret', '', 'a\n    at secret (secret.ts:1:1)', '    at secret', 'x\n    at secret\n'])(
    'hold nothing of the message %j',
    (message) => {
      const frames = stackFrames(new Error(message));
      expect(frames.length).toBeGreaterThan(0);
      expect(frames.join()).not.toContain('secret');
    },
  );

  test("contain no part of a parser's message that quotes its input", () => {
    try {
      JSON.parse('[\n    at secret');
    } catch (error) {
      expect((error as Error).message).toContain('at secret');
      expect(stackFrames(error as Error).join()).not.toContain('secret');
    }
    expect.assertions(2);
  });

  test('are empty when the message was changed after the error was created', () => {
    const error = new Error('first\n    at secret');
    expect(error.stack).toContain('secret');
    error.message = 'second';
    expect(stackFrames(error)).toEqual([]);
  });
});
