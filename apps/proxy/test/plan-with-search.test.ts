import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { planWithSearch } from '../src/strategies/plan-with-search.ts';
import { type RequestParts, viewOf } from './request-view.ts';

interface PlanCase extends RequestParts {
  readonly loaded?: readonly string[];
  readonly loadMode?: 'swap' | 'native';
}

function planOf({ loaded = [], loadMode = 'swap', ...parts }: PlanCase) {
  const outcome = readConfig({ environment: { PROXY_PIPES_TOOL_DISCOVERY_ALWAYS_KEEP: 'kept' } });
  if (!outcome.ok) throw new Error(outcome.problems.join());
  return planWithSearch({ view: viewOf(parts), settings: outcome.config.settings, loaded, loadMode });
}

const LETTERS = ['a', 'b', 'c', 'd'];

describe('planWithSearch', () => {
  it.each<[string, PlanCase, string[]]>([
    ['all plain functions', { tools: LETTERS }, ['a', 'b', 'c', 'd']],
    ['no tool to keep', { tools: ['kept', ...LETTERS] }, ['a', 'b', 'c', 'd']],
    ['no tool of the provider', { tools: [...LETTERS, { name: 'bash', type: 'bash_20250124' }] }, LETTERS],
    ['no tool of an unknown type', { tools: [...LETTERS, { name: 'new', type: 'new_20270101' }] }, LETTERS],
    ['no tool with a cache mark', { tools: [...LETTERS, { name: 'e', isCacheMarked: true }] }, LETTERS],
    ['no tool with an endless name', { tools: [...LETTERS, 'e'.repeat(257)] }, LETTERS],
    ['a tool with a very long name', { tools: ['a', 'e'.repeat(256)] }, ['a', 'e'.repeat(256)]],
    ['no tool that the history calls', { tools: LETTERS, called: ['b'] }, ['a', 'c', 'd']],
    [
      'no tool that tool_choice names',
      { tools: LETTERS, more: { tool_choice: { type: 'tool', name: 'c' } } },
      ['a', 'b', 'd'],
    ],
    [
      'a tool that the history calls when it was loaded',
      { tools: LETTERS, called: ['b'], loaded: ['b'] },
      LETTERS,
    ],
    [
      'a loaded tool that tool_choice names where tools are swapped',
      { tools: LETTERS, loaded: ['c'], more: { tool_choice: { type: 'tool', name: 'c' } } },
      LETTERS,
    ],
    [
      'no loaded tool that tool_choice names where tools are marked',
      {
        tools: LETTERS,
        loaded: ['c'],
        loadMode: 'native',
        more: { tool_choice: { type: 'tool', name: 'c' } },
      },
      ['a', 'b', 'd'],
    ],
    ['tools of one name together', { tools: [...LETTERS, 'a'] }, LETTERS],
    [
      'no tool that shares its name with one that must stay',
      { tools: [...LETTERS, { name: 'a', type: 'bash_20250124' }] },
      ['b', 'c', 'd'],
    ],
    ['as ever when no call is wanted', { tools: LETTERS, more: { tool_choice: { type: 'none' } } }, LETTERS],
  ])('defers %s', (_, parts, deferred) => {
    expect(planOf(parts).defer).toEqual(deferred);
  });

  it('shows loaded tools in load order, and forgets those that the client no longer has', () => {
    expect(planOf({ tools: LETTERS, loaded: ['d', 'gone', 'b'] }).load).toEqual(['d', 'b']);
  });

  it('gives the model a search tool whose bytes depend on the set of tools alone', () => {
    const plan = planOf({ tools: LETTERS });
    expect(plan.searchTool?.name).toBe('gateway_search_tools');
    expect(planOf({ tools: LETTERS.toReversed(), called: ['b'], loaded: ['c'] }).searchTool).toEqual(
      plan.searchTool,
    );
    expect(planOf({ tools: [...LETTERS, 'e'] }).searchTool).not.toEqual(plan.searchTool);
  });

  it.each([[['a']], [['a', 'kept']], [[]]])('leaves %o as they are', (tools) => {
    expect(planOf({ tools })).toMatchObject({ defer: [], searchTool: undefined, reason: 'few_tools' });
  });
});
