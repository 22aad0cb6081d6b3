import type { LoadMode, PreloadForm } from '@winnow/wire';
import { describe, expect, it } from 'vitest';
import { NamesInTexts } from '../src/strategies/names-in-texts.ts';
import { planWithSearch, type SearchPlanOptions } from '../src/strategies/plan-with-search.ts';
import { type RequestParts, viewOf } from './request-view.ts';

interface PlanCase extends RequestParts {
  readonly options?: Partial<SearchPlanOptions>;
  readonly preloaded?: readonly string[];
  readonly kept?: readonly string[];
  readonly preloadForm?: PreloadForm;
  readonly loaded?: readonly string[];
  readonly loadMode?: LoadMode;
}

function planOf({
  loaded = [],
  preloaded = [],
  loadMode = 'swap',
  kept,
  preloadForm,
  options,
  ...parts
}: PlanCase) {
  return planWithSearch(
    { view: viewOf(parts), loaded, preloaded, kept, preloadForm, loadMode },
    { ...OPTIONS, ...options },
  );
}

const OPTIONS: SearchPlanOptions = {
  alwaysKeep: ['kept'],
  maxNamed: 25,
  minTools: 0,
  minDeferredTokens: 0,
  searchToolName: 'gateway_search_tools',
};

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
    [
      'a tool that the history calls, natively',
      { tools: LETTERS, called: ['b'], loadMode: 'native' },
      LETTERS,
    ],
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
    [
      'no tool that a glob keeps',
      { tools: ['mcp__a', 'mcp__b', 'c', 'd'], options: { alwaysKeep: ['mcp__*'] } },
      ['c', 'd'],
    ],
    ['as many for a glob that matches no tool', { tools: LETTERS, options: { alwaysKeep: ['x*'] } }, LETTERS],
    [
      'no tool that the system prompt names',
      { tools: LETTERS, more: { system: 'Use b, not c.' } },
      ['a', 'd'],
    ],
    ['a preloaded tool', { tools: LETTERS, preloaded: ['c'] }, LETTERS],
    ['no tool that earlier requests kept', { tools: LETTERS, kept: ['c'] }, ['a', 'b', 'd']],
    [
      'no interaction tool, however its name is written',
      {
        tools: [
          ...LETTERS,
          'AskUserQuestion',
          'ask_user_question',
          'todo-write',
          'final.answer',
          'Update_Plan',
        ],
      },
      LETTERS,
    ],
    [
      'tools whose names only begin like an interaction tool',
      { tools: ['ask_user_name', 'finish', 'plan'] },
      ['ask_user_name', 'finish', 'plan'],
    ],
    ['as ever when no call is wanted', { tools: LETTERS, more: { tool_choice: { type: 'none' } } }, LETTERS],
  ])('defers %s', (_, parts, deferred) => {
    expect(planOf(parts).defer).toEqual(deferred);
  });

  it('shows loaded tools in load order, and forgets those that the client has removed', () => {
    expect(planOf({ tools: LETTERS, loaded: ['d', 'gone', 'b'] }).load).toEqual(['d', 'b']);
  });

  it('gives the model a search tool whose bytes depend only on the set of tools', () => {
    const plan = planOf({ tools: LETTERS });
    expect(plan.searchTool?.name).toBe('gateway_search_tools');
    expect(planOf({ tools: LETTERS.toReversed(), called: ['b'], loaded: ['c'] }).searchTool).toEqual(
      plan.searchTool,
    );
    expect(planOf({ tools: [...LETTERS, 'e'] }).searchTool).not.toEqual(plan.searchTool);
  });

  it('has no numbers in the search tool, which would change with every tool', () => {
    expect(planOf({ tools: LETTERS }).searchTool!.description).not.toMatch(/\d/);
  });

  it('loads preloaded tools before all others where tools are swapped', () => {
    const plan = planOf({ tools: LETTERS, preloaded: ['d', 'gone', 'b'], loaded: ['a', 'b'] });
    expect(plan.load).toEqual(['d', 'b', 'a']);
    expect(plan).not.toHaveProperty('preload');
  });

  it.each(['native', 'bridge'] as const)('has the first message bring preloaded tools (%s)', (loadMode) => {
    const parts = { tools: LETTERS, preloaded: ['d', 'b'], loaded: ['a'], loadMode };
    expect(planOf({ ...parts, preloadForm: 'search' })).toMatchObject({
      defer: LETTERS,
      load: ['d', 'b', 'a'],
      preload: { names: ['d', 'b'], form: 'search' },
    });
    // A name is not a definition, and where nothing can bring them, the model has to search.
    expect(planOf({ ...parts, preloadForm: 'names' })).toMatchObject({
      load: ['a'],
      preload: { names: ['d', 'b'], form: 'names' },
    });
    expect(planOf(parts).load).toEqual(['a']);
    expect(planOf(parts)).not.toHaveProperty('preload');
  });

  it('does not have the first message bring a tool that tool_choice shows', () => {
    const more = { tool_choice: { type: 'tool', name: 'd' } };
    const parts = { tools: LETTERS, preloaded: ['d', 'b'], loadMode: 'native', more } as const;
    expect(planOf({ ...parts, preloadForm: 'search' })).toMatchObject({
      defer: ['a', 'b', 'c'],
      load: ['b'],
      preload: { names: ['b'] },
    });
  });

  it('keeps the text of the first message when tool_choice shows a tool of it (bridge)', () => {
    const more = { tool_choice: { type: 'tool', name: 'd' } };
    const parts = { tools: LETTERS, preloaded: ['d', 'b'], loadMode: 'bridge', more } as const;
    expect(planOf({ ...parts, preloadForm: 'text' })).toMatchObject({
      defer: ['a', 'b', 'c'],
      load: ['b'],
      preload: { names: ['d', 'b'] },
    });
  });

  it.each([[['a']], [['a', 'kept']], [[]]])('leaves %o unchanged', (tools) => {
    expect(planOf({ tools })).toMatchObject({ defer: [], searchTool: undefined, reason: 'few_tools' });
  });

  it('leaves a few function tools alone, whatever the provider hosts', () => {
    const options = { minTools: 4 };
    const hosted = { name: 'bash', type: 'bash_20250124' };
    expect(planOf({ tools: [...LETTERS, hosted], options }).reason).toBe('few_tools');
    expect(planOf({ tools: [...LETTERS, 'e'], options }).reason).toBe('deferred');
  });

  it('leaves tools alone that are smaller than the search tool plus the minimum saving', () => {
    const described = (chars: number) => LETTERS.map((name) => ({ name, description: 'x'.repeat(chars) }));
    const options = { minDeferredTokens: 2_000 };
    expect(planOf({ tools: described(1_950), options }).reason).toBe('few_tokens');
    expect(planOf({ tools: described(2_300), options }).reason).toBe('deferred');
    // Loaded tools count, so that a conversation keeps its decision.
    expect(planOf({ tools: described(2_300), options, loaded: ['a', 'b'] }).reason).toBe('deferred');
  });
});

describe('tools that the system prompt names', () => {
  const deferred = (system: unknown, tools: readonly string[], maxNamed = 25) =>
    planOf({ tools, more: { system }, options: { maxNamed } }).defer;

  it.each<[string, string, string[]]>([
    ['next to blanks', 'call Read now', ['Edit', 'x', 'y']],
    ['in quotes and brackets', '`Read` (Edit)', ['x', 'y']],
    ['at both ends', 'Read or Edit', ['x', 'y']],
    [
      'not inside longer words',
      'Reading, Read_file, read, Read-only, Read2, ÜRead',
      ['Read', 'Edit', 'x', 'y'],
    ],
    ['next to an emoji', '🔧Read🔧', ['Edit', 'x', 'y']],
    ['in another script', 'Используй Read、Edit。', ['x', 'y']],
  ])('are kept %s', (_, system, names) => {
    expect(deferred(system, ['Read', 'Edit', 'x', 'y'])).toEqual(names);
  });

  it('are found with other characters inside', () => {
    const tools = ['server.tool', 'server.other', 'mcp:git/log', 'a', 'b'];
    expect(deferred('Use server.tool, then mcp:git/log.', tools)).toEqual(['server.other', 'a', 'b']);
    expect(deferred('Use server.tools or xserver.tool, or mcp:git/log-all.', tools)).toEqual(tools);
  });

  it('are read from each block separately', () => {
    const blocks = [{ type: 'text', text: 'Use a' }, { type: 'text', text: 'b' }, { type: 'text' }];
    expect(deferred(blocks, [...LETTERS, 'ab'])).toEqual(['c', 'd', 'ab']);
  });

  it('count only if repeated when the prompt names too many, most frequent first', () => {
    expect(deferred('a b c d. c d. d', LETTERS, 3)).toEqual(['a', 'b']);
    expect(deferred('a b c d. a c d. d', LETTERS, 2)).toEqual(['b', 'c']);
    expect(deferred('a b c d', LETTERS, 3)).toEqual(LETTERS);
  });

  it('are read only before the first user message', () => {
    const messages = [
      { role: 'system', content: 'Use a.' },
      { role: 'user', content: 'Use b.' },
      { role: 'system', content: 'Use c.' },
    ];
    expect(planOf({ tools: LETTERS, more: { messages } }).defer).toEqual(['b', 'c', 'd']);
  });

  it('cost one check per word, whatever the number of tools', () => {
    const looks = (count: number) => {
      const tools = Array.from({ length: count }, (_, number) => `tool_${number}`);
      const text = new Counted('some words of a prompt that names tool_1, and more of them');
      new NamesInTexts(tools).count([text as unknown as string]);
      return text.looks;
    };
    expect(looks(4_000)).toBe(looks(2));
  });
});

/** A text that counts its reads. */
class Counted extends String {
  looks = 0;

  override charCodeAt(index: number): number {
    this.looks += 1;
    return super.charCodeAt(index);
  }
}
