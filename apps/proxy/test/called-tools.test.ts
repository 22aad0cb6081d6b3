import { describe, expect, test } from 'vitest';
import { calledTools, callFields, repeatsRequest } from '../src/records/request-facts.ts';
import { viewOf } from './request-view.ts';

describe('the tools that a response calls', () => {
  const view = viewOf({ tools: ['a', 'b', 'c'] });
  const plan = { defer: ['b', 'c'], load: ['c'] };

  test('are named once, those apart that the model could not see', () => {
    expect(calledTools(view, plan, ['a', 'b', 'a', 'c', 'made_up'])).toEqual({
      called: ['a', 'b', 'c', 'made_up'],
      unseen: ['b', 'made_up'],
    });
  });

  test('are bounded', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `tool_${at}`);
    expect(calledTools(view, plan, names).called).toHaveLength(64);
  });

  test('leave no field without a call', () => {
    expect(callFields(calledTools(view, plan, []))).toEqual({});
    expect(callFields(calledTools(view, plan, ['a']))).toEqual({ called: ['a'] });
  });
});

describe('a user who repeats a request', () => {
  const repeats = (userTexts: readonly string[], callIds: readonly string[] = []) =>
    repeatsRequest({ userTexts, turns: [{ position: 1, callIds }] });

  test.each([
    ['Please read the log of the build!', 'please read the log of the build'],
    ['Please read the log of the build', 'Please do read the log of the build'],
  ])('does so in almost the same words: %s', (earlier, later) => {
    expect(repeats([earlier, later])).toBe(true);
    expect(repeats([earlier, 'No.', later])).toBe(true);
  });

  test.each([
    ['other words', ['Read the log of the build', 'Send the log to Ada']],
    ['too few words', ['go on', 'go on']],
    ['no text', ['Read the log of the build', '']],
    ['a document', ['a b c d '.repeat(1_000), 'a b c d '.repeat(1_000)]],
    ['a first message', ['Read the log of the build']],
  ])('does not with %s', (_, userTexts) => {
    expect(repeats(userTexts)).toBe(false);
  });

  test('is not seen where the model has called a tool, or has not answered yet', () => {
    const userTexts = ['Read the log of the build', 'Read the log of the build'];
    expect(repeats(userTexts, ['toolu_1'])).toBe(false);
    expect(repeatsRequest({ userTexts, turns: [] })).toBe(false);
  });

  test('is seen in a request', () => {
    const request = 'Read the log of the build';
    const view = viewOf({ tools: ['a'], called: ['a'], user: request });
    expect(repeatsRequest({ ...view, userTexts: [request, ...view.userTexts] })).toBe(true);
    expect(view.userTexts).toEqual(['begin', '', request]);
  });
});
