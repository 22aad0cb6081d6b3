import { describe, expect, test } from 'vitest';
import { newBytes } from '../src/records/request-facts.ts';
import { viewOf } from './request-view.ts';

describe('the new part of a prompt', () => {
  test('is what the user wrote, in a first request', () => {
    expect(newBytes(viewOf({ tools: ['a'], user: 'x'.repeat(500) }))).toBe('begin'.length + 500);
  });

  test("begins with the model's last turn", () => {
    const view = viewOf({ tools: ['a'], called: ['a'], user: 'x'.repeat(500) });
    const done = JSON.stringify({ role: 'assistant', content: 'done' });
    const last = JSON.stringify({ role: 'user', content: 'x'.repeat(500) });
    expect(newBytes(view)).toBe(`${done},${last}`.length);
  });
});
