import { describe, expect, test } from 'vitest';
import { findOrphanResults } from '../src/ollama-chat/find-orphan-results.ts';
import { validateOllamaRequest } from '../src/ollama-chat/validate-ollama-request.ts';

const USER = { role: 'user', content: 'What is the weather?' };
const CALL = { id: 'call_1', function: { index: 0, name: 'get_weather', arguments: { city: 'Bern' } } };
const ASKING = { role: 'assistant', content: '', tool_calls: [CALL] };
const RESULT = { role: 'tool', tool_name: 'get_weather', content: 'sunny' };

const judge = (body: unknown) =>
  validateOllamaRequest({ path: '/api/chat', headers: {}, json: body })?.message;
const judgeChat = (members: object) => judge({ model: 'llama', messages: [USER], ...members });

describe('a request to Ollama is let through', () => {
  test.each<[string, object]>([
    ['with text alone', {}],
    ['with a call and its result', { messages: [USER, ASKING, RESULT] }],
    ['with nulls', { stream: null, messages: [{ ...ASKING, content: null }], tools: null }],
    ['with unknown members', { x: 1, messages: [{ ...USER, x: 1 }] }],
    ['with a result without a call', { messages: [RESULT] }],
    ['with settings', { keep_alive: -1, options: { num_ctx: 1 }, think: 'high', format: { type: 'object' } }],
    ['without messages, which loads the model', { messages: [] }],
  ])('%s', (_, members) => {
    expect(judgeChat(members)).toBeUndefined();
  });
});

describe('a request to Ollama is refused', () => {
  test.each<[string, object, string]>([
    [
      'arguments as text',
      { messages: [{ ...ASKING, tool_calls: [{ function: { name: 'a', arguments: '{}' } }] }] },
      'string',
    ],
    ['content as a list', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }, 'array'],
    ['a message that is none', { messages: ['x'] }, 'string'],
    ['tools that are no list', { tools: {} }, 'object'],
    ['a stream that is no flag', { stream: 'yes' }, 'string'],
    ['an id that is a number', { messages: [{ ...RESULT, tool_call_id: 7 }] }, 'number'],
    [
      'parameters as a text',
      { tools: [{ type: 'function', function: { name: 'a', parameters: 'x' } }] },
      'string',
    ],
  ])('with %s', (_, members, kind) => {
    expect(judgeChat(members)).toMatch(
      new RegExp(`^json: cannot unmarshal ${kind} into Go struct field ChatRequest`),
    );
  });

  test('without a model, and without JSON', () => {
    expect(judge({ messages: [USER] })).toBe('model is required');
    expect(judge(undefined)).toContain('invalid character');
    expect(judge([])).toBe('json: cannot unmarshal array into Go value of type api.ChatRequest');
  });
});

test('finds results without calls and calls without results, which the server takes', () => {
  const orphans = (...messages: object[]) => findOrphanResults({ messages });
  expect(orphans(USER, ASKING, RESULT, USER)).toEqual([]);
  expect(orphans(USER, ASKING, { role: 'tool', content: 'sunny' })).toEqual([]);
  expect(orphans(USER, RESULT)).toEqual(['messages[1]: a result without a call']);
  expect(orphans(USER, ASKING, { ...RESULT, tool_name: 'other' })).toEqual([
    'messages[2]: a result without a call',
    'messages[3]: get_weather has no result',
  ]);
  expect(orphans(USER, ASKING, USER)).toEqual(['messages[2]: get_weather has no result']);
});
