import { describe, expect, test } from 'vitest';
import { bedrockConverse } from '../../src/bedrock-converse/bedrock-converse.ts';
import { bindsThinking } from '../../src/format/capabilities.ts';
import { SEARCH } from '../format-fixtures.ts';
import { planOf, viewOf } from '../run-exchange.ts';
import { converseFixtures } from './converse-fixtures.ts';

const PATH = '/model/m/converse';
const tool = (name: string) => JSON.parse(converseFixtures.writeTool(name, 'Does.'));
const CACHE = { cachePoint: { type: 'default' } };
const messages = [{ role: 'user', content: [{ text: 'Hi.' }] }];

interface Entry {
  readonly toolSpec?: { readonly name: string };
  readonly systemTool?: { readonly name: string };
}

/** Returns the tools that go upstream, with cache points as `|`. */
function sent(
  tools: readonly object[],
  defer: readonly string[],
  load: readonly string[] = [],
  hasSearch = true,
) {
  const view = viewOf(
    bedrockConverse,
    JSON.stringify({ messages, toolConfig: { tools, toolChoice: { auto: {} } } }),
    PATH,
  );
  const plan = planOf(defer, load);
  const bytes = bedrockConverse.editing.editRequest(
    view,
    hasSearch ? plan : { ...plan, searchTool: undefined },
    {
      hiddenTurns: [],
      rounds: [],
    },
  );
  const { toolConfig } = JSON.parse(Buffer.from(bytes).toString());
  expect(toolConfig.toolChoice).toEqual({ auto: {} });
  return toolConfig.tools
    .map(({ toolSpec, systemTool }: Entry) => toolSpec?.name ?? systemTool?.name ?? '|')
    .join(' ')
    .replace(SEARCH, 'search');
}

describe('cache points', () => {
  test.each([
    ['behind all tools', [tool('a'), tool('b'), CACHE], ['b'], [], 'a search |'],
    ['what is loaded stands behind them', [tool('a'), tool('b'), CACHE], ['b'], ['b'], 'a search | b'],
    ['between tools', [tool('a'), CACHE, tool('b'), tool('c')], ['c'], ['c'], 'a | b search c'],
    ['in front of which nothing is left', [tool('a'), CACHE, tool('b')], ['a'], [], 'b search'],
    ['of which two would stand together', [tool('a'), CACHE, tool('b'), CACHE], ['b'], [], 'a search |'],
    ['with nothing but the search tool', [tool('a'), tool('b'), CACHE], ['a', 'b'], ['a'], 'search | a'],
    [
      'with a tool of the provider',
      [tool('a'), { systemTool: { name: 'nova' } }, CACHE],
      ['a'],
      [],
      'nova search |',
    ],
  ])('%s', (_, tools, defer, load, expected) => {
    expect(sent(tools, defer, load)).toBe(expected);
  });

  test('stay without a search', () => {
    expect(sent([tool('a'), tool('b'), CACHE], ['b'], [], false)).toBe('a |');
  });
});

test('never leaves a request without a tool', () => {
  expect(sent([tool('a'), CACHE], ['a'], [], false)).toBe('a |');
});

const view = (more: object) =>
  viewOf(bedrockConverse, JSON.stringify({ messages, toolConfig: { tools: [tool('a')] }, ...more }), PATH);

test.each([
  [{ tool: { name: 'a' } }, 'required', ['a']],
  [{ any: {} }, 'required', []],
  [{ auto: {} }, 'auto', []],
  [undefined, 'auto', []],
])('reads the choice %o', (toolChoice, mode, names) => {
  const toolConfig = { tools: [tool('a')], toolChoice };
  expect(view({ toolConfig }).toolChoice).toEqual({ mode, names });
});

test.each([
  ['no_function_tools', { toolConfig: undefined }],
  ['no_function_tools', { toolConfig: { tools: [{ systemTool: { name: 'x' } }] } }],
  ['name_collision', { toolConfig: { tools: [tool(SEARCH)] } }],
  ['assistant_prefill', { messages: [...messages, { role: 'assistant', content: [{ text: 'So' }] }] }],
  [
    'client_defers',
    {
      messages: [
        ...messages,
        { role: 'system', content: [{ toolAddition: { tool: { name: 'a' } } }] },
        ...messages,
      ],
    },
  ],
])('leaves a request alone: %s', (reason, more) => {
  expect(view(more).bypass).toBe(reason);
});

test('reads the model in the path, even if escaped, and the history', () => {
  const history = [
    ...messages,
    { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'a', input: {} } }] },
    {
      role: 'user',
      content: [{ toolResult: { toolUseId: 't', content: [{ text: 'x' }] } }, { text: 'Go on.' }],
    },
  ];
  const body = JSON.stringify({
    system: [{ text: 'Be kind.' }],
    messages: history,
    toolConfig: { tools: [tool('a')] },
  });
  expect(viewOf(bedrockConverse, body, '/model/arn%3Aaws%2Fx/converse-stream')).toMatchObject({
    model: 'arn:aws/x',
    isStream: true,
    query: 'Go on.',
    firstUserText: 'Hi.',
    systemTexts: ['Be kind.'],
    resultNames: ['a'],
    calledNames: new Set(['a']),
  });
});

test.each([
  ['anthropic.claude-opus-5-5-v1:0', true],
  ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', false],
  ['amazon.nova-pro-v1:0', false],
])('knows whether %s binds its thinking', (model, expected) => {
  expect(bindsThinking(bedrockConverse.capabilities, model)).toBe(expected);
});

test('removes the thinking of lost rounds, all of it when it is bound', () => {
  const thought = (text: string) => ({
    reasoningContent: { reasoningText: { text, signature: `s-${text}` } },
  });
  const use = { toolUse: { toolUseId: 't', name: 'a', input: {} } };
  const result = { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ text: 'x' }] } }] };
  const body = JSON.stringify({
    messages: [...messages, { role: 'assistant', content: [thought('one'), thought('two'), use] }, result],
    toolConfig: { tools: [tool('a')] },
  });
  const kept = (model: string) => {
    const request = viewOf(bedrockConverse, body, `/model/${model}/converse`);
    expect(bedrockConverse.capabilities.thinking!.holdsThinking(request)).toBe(true);
    const past = { hiddenTurns: [], rounds: [], dropsThinking: true };
    const edited = bedrockConverse.editing.editRequest(
      request,
      { ...planOf([]), searchTool: undefined },
      past,
    );
    return JSON.parse(Buffer.from(edited).toString()).messages[1].content;
  };
  expect(kept('claude-sonnet-4-5')).toEqual([thought('one'), use]);
  expect(kept('anthropic.claude-opus-5-5')).toEqual([use]);
});
