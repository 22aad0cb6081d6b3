import { describe, expect, test } from 'vitest';
import { calledTools, callFields } from '../src/records/request-facts.ts';
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
