import { describe, expect, test } from 'vitest';
import { validateChatRequest } from '../src/openai-chat/validate-chat-request.ts';
import { DEFAULT_RULES, type ProviderRules } from '../src/upstream/provider-rules.ts';
import type { Rejection } from '../src/upstream/rejection.ts';

const USER = { role: 'user', content: 'What is the weather?' };
const CALL = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
const ASKING = { role: 'assistant', content: null, tool_calls: [CALL] };
const RESULT = { role: 'tool', tool_call_id: 'call_1', content: 'sunny' };
const TOOL = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } };

function judge(body: object, rules: Partial<ProviderRules> = {}): Rejection | undefined {
  const request = {
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer test' },
    json: { model: 'gpt-test', messages: [USER], ...body },
  };
  return validateChatRequest(request, { ...DEFAULT_RULES, ...rules });
}

const withTool = (change: object): object => ({
  tools: [{ type: 'function', function: { ...TOOL.function, ...change } }],
});
const withSchema = (parameters: unknown): object => withTool({ parameters });
const secondCall = { ...CALL, id: 'call_2' };

describe('a Chat request is let through', () => {
  test.each<[string, object]>([
    ['with text alone', {}],
    ['with a call and its result', { messages: [USER, ASKING, RESULT] }],
    [
      'with results in another order than the calls',
      {
        messages: [
          USER,
          { ...ASKING, tool_calls: [CALL, secondCall] },
          { ...RESULT, tool_call_id: 'call_2' },
          RESULT,
        ],
      },
    ],
    ['with a history that names a tool without declaring any', { messages: [USER, ASKING, RESULT, USER] }],
    ['with the same call id in two turns', { messages: [USER, ASKING, RESULT, ASKING, RESULT] }],
    [
      'with system and developer messages',
      {
        messages: [
          { role: 'system', content: 'x' },
          { role: 'developer', content: [{ type: 'text', text: 'y' }] },
          USER,
        ],
      },
    ],
    [
      'with an image',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] },
    ],
    ['with a function that takes nothing', { tools: [{ type: 'function', function: { name: 'ping' } }] }],
    ['with a freeform tool', { tools: [{ type: 'custom', custom: { name: 'grammar' } }] }],
    [
      'with a forced tool that is declared',
      { tools: [TOOL], tool_choice: { type: 'function', function: { name: 'get_weather' } } },
    ],
    ['with an empty assistant text', { messages: [USER, { role: 'assistant', content: '' }, USER] }],
    ['with unknown members', { verbosity: 'low', metadata: { a: '1' } }],
    [
      'with an array parameter that has items',
      withSchema({ type: 'object', properties: { a: { type: 'array', items: {} } } }),
    ],
    [
      'with 200 tools',
      {
        tools: Array.from({ length: 200 }, (_, at) => ({
          type: 'function',
          function: { name: `tool_${at}` },
        })),
      },
    ],
  ])('%s', (_, body) => {
    expect(judge(body)).toBeUndefined();
  });
});

describe('a Chat request is rejected', () => {
  test.each<[string, object, string, string | undefined]>([
    ['without a model', { model: undefined }, 'you must provide a model parameter', undefined],
    ['without messages', { messages: undefined }, "Missing required parameter: 'messages'.", 'messages'],
    [
      'with a message that is no object',
      { messages: ['Hello'] },
      "Invalid type for 'messages[0]'",
      'messages[0]',
    ],
    [
      'with content of no known form',
      { messages: [{ role: 'user', content: 7 }] },
      "Invalid type for 'messages[0].content'",
      'messages[0].content',
    ],
    ['with no message', { messages: [] }, "Invalid 'messages': empty array.", 'messages'],
    [
      'with an unknown role',
      { messages: [{ role: 'robot', content: 'x' }] },
      "Invalid value: 'robot'.",
      'messages[0].role',
    ],
    [
      'with a message that says nothing',
      { messages: [{ role: 'user', content: null }] },
      "Invalid value for 'content'",
      'messages[0].content',
    ],
    [
      'with an assistant message of nothing',
      { messages: [USER, { role: 'assistant', content: null }] },
      "Invalid value for 'content'",
      'messages[1].content',
    ],
    [
      'with an unknown content type',
      { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
      "Invalid value: 'tool_result'.",
      'messages[0].content[0].type',
    ],
    [
      'with content of no parts',
      { messages: [{ role: 'user', content: [] }] },
      "Invalid 'messages[0].content': empty array.",
      'messages[0].content',
    ],
    [
      'with an image in a tool message',
      { messages: [USER, ASKING, { ...RESULT, content: [{ type: 'image_url' }] }] },
      "Invalid value: 'image_url'.",
      'messages[2].content[0].type',
    ],
    [
      'with an empty list of calls',
      { messages: [USER, { role: 'assistant', content: 'x', tool_calls: [] }] },
      "Invalid 'messages[1].tool_calls': empty array.",
      'messages[1].tool_calls',
    ],
    [
      'with a call without id',
      { messages: [USER, { ...ASKING, tool_calls: [{ ...CALL, id: undefined }] }, RESULT] },
      "Missing required parameter: 'messages[1].tool_calls[0].id'.",
      'messages[1].tool_calls[0].id',
    ],
    [
      'with a call id of 41 characters',
      { messages: [USER, { ...ASKING, tool_calls: [{ ...CALL, id: 'c'.repeat(41) }] }] },
      "Invalid 'messages[1].tool_calls[0].id': string too long.",
      'messages[1].tool_calls[0].id',
    ],
    [
      'with a call of an unknown type',
      { messages: [USER, { ...ASKING, tool_calls: [{ ...CALL, type: 'unheard' }] }, RESULT] },
      "Invalid value: 'unheard'.",
      'messages[1].tool_calls[0].type',
    ],
    [
      'with a call without a name',
      { messages: [USER, { ...ASKING, tool_calls: [{ ...CALL, function: { arguments: '{}' } }] }, RESULT] },
      "Missing required parameter: 'messages[1].tool_calls[0].function.name'.",
      'messages[1].tool_calls[0].function.name',
    ],
    [
      'with arguments that are an object',
      {
        messages: [
          USER,
          { ...ASKING, tool_calls: [{ ...CALL, function: { name: 'x', arguments: {} } }] },
          RESULT,
        ],
      },
      "Invalid type for 'messages[1].tool_calls[0].function.arguments'",
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'with a result that names no call',
      { messages: [USER, ASKING, { role: 'tool', content: 'x' }] },
      "Missing required parameter: 'messages[2].tool_call_id'.",
      'messages[2].tool_call_id',
    ],
    [
      'with a call that has no result',
      { messages: [USER, ASKING, USER] },
      'did not have response messages: call_1',
      'messages.[2].role',
    ],
    [
      'that ends with a call',
      { messages: [USER, ASKING] },
      'did not have response messages: call_1',
      'messages.[2].role',
    ],
    [
      'with one of two calls answered',
      { messages: [USER, { ...ASKING, tool_calls: [CALL, secondCall] }, RESULT, USER] },
      'did not have response messages: call_2',
      'messages.[3].role',
    ],
    [
      'with a result before its call',
      { messages: [USER, RESULT, ASKING] },
      "messages with role 'tool' must be a response to a preceeding message",
      'messages.[1].role',
    ],
    [
      'with a message between call and result',
      { messages: [USER, ASKING, USER, RESULT] },
      'did not have response messages: call_1',
      'messages.[2].role',
    ],
    [
      'with a result of no call',
      { messages: [USER, ASKING, RESULT, { ...RESULT, tool_call_id: 'call_9' }] },
      "'tool_call_id' of 'call_9' not found in 'tool_calls'",
      'messages.[3].tool_call_id',
    ],
    [
      'with two results of one call',
      { messages: [USER, ASKING, RESULT, RESULT] },
      "'call_1' is answered twice",
      'messages.[3].tool_call_id',
    ],
    [
      'with two calls of one id',
      { messages: [USER, { ...ASKING, tool_calls: [CALL, CALL] }, RESULT] },
      'Duplicate ids in tool_calls.',
      'messages.[1].role',
    ],
    ['with tools that are no list', { tools: {} }, "Invalid type for 'tools'", 'tools'],
    ['with an empty list of tools', { tools: [] }, "Invalid 'tools': empty array.", 'tools'],
    [
      'with a tool of an unknown type',
      { tools: [{ type: 'web_search' }] },
      "Supported values are: 'function' and 'custom'.",
      'tools[0].type',
    ],
    [
      'with a tool in the shape of another provider',
      { tools: [{ name: 'x', input_schema: { type: 'object' } }] },
      "Supported values are: 'function' and 'custom'.",
      'tools[0].type',
    ],
    [
      'with a tool without a name',
      withTool({ name: undefined }),
      "Missing required parameter: 'tools[0].function.name'.",
      'tools[0].function.name',
    ],
    [
      'with a name outside the alphabet',
      withTool({ name: 'get.weather' }),
      'string does not match pattern',
      'tools[0].function.name',
    ],
    [
      'with a name of 65 characters',
      withTool({ name: 'n'.repeat(65) }),
      'maximum length 64',
      'tools[0].function.name',
    ],
    [
      'with two tools of one name',
      { tools: [TOOL, TOOL] },
      "'get_weather' is declared twice",
      'tools[1].function.name',
    ],
    [
      'with a description that is no text',
      withTool({ description: 7 }),
      "Invalid type for 'tools[0].function.description'",
      'tools[0].function.description',
    ],
    [
      'with parameters that are no object',
      withSchema('string'),
      `got 'type: "string"'`,
      'tools[0].function.parameters',
    ],
    [
      'with a schema of another type',
      withSchema({ type: 'array', items: {} }),
      `got 'type: "array"'`,
      'tools[0].function.parameters',
    ],
    ['with a schema without a type', withSchema({}), `got 'type: "None"'`, 'tools[0].function.parameters'],
    [
      'with an array parameter without items',
      withSchema({ type: 'object', properties: { a: { type: 'array' } } }),
      "In context=('properties', 'a'), array schema missing items.",
      'tools[0].function.parameters',
    ],
    [
      'with a strict function that leaves a property optional',
      withTool({
        strict: true,
        parameters: { type: 'object', properties: { a: {} }, additionalProperties: false },
      }),
      "Missing 'a'",
      'tools[0].function.parameters',
    ],
    [
      'with a strict function that is open',
      withTool({ strict: true, parameters: { type: 'object', properties: {} } }),
      "'additionalProperties' must be supplied and false",
      'tools[0].function.parameters',
    ],
    [
      'with a forced tool that is not declared',
      { tools: [TOOL], tool_choice: { type: 'function', function: { name: 'send_mail' } } },
      "no tool named 'send_mail'",
      'tool_choice',
    ],
    [
      'with an allowed tool that is not declared',
      {
        tools: [TOOL],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'send_mail' } }] },
        },
      },
      "no tool named 'send_mail'",
      'tool_choice',
    ],
    [
      'with a choice of no known form',
      { tools: [TOOL], tool_choice: 'any' },
      `Invalid value for 'tool_choice': "any".`,
      'tool_choice',
    ],
    [
      'with a choice without tools',
      { tool_choice: 'auto' },
      "'tool_choice' is only allowed when 'tools' are specified",
      'tool_choice',
    ],
    [
      'with parallel calls without tools',
      { parallel_tool_calls: true },
      "'parallel_tool_calls' is only allowed when 'tools' are specified",
      'parallel_tool_calls',
    ],
    [
      'with stream options without a stream',
      { stream_options: { include_usage: true } },
      "only allowed when 'stream' is enabled",
      'stream_options',
    ],
  ])('%s', (_, body, message, param) => {
    const rejection = judge(body);
    expect(rejection).toMatchObject({ status: 400, message: expect.stringContaining(message) });
    expect(rejection?.param).toBe(param);
  });

  test('without a key', () => {
    const request = {
      path: '/v1/chat/completions',
      headers: {},
      json: { model: 'gpt-test', messages: [USER] },
    };
    expect(validateChatRequest(request, DEFAULT_RULES)).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
  });

  test('when the body is not a JSON object', () => {
    const request = { path: '/v1/chat/completions', headers: { 'api-key': 'azure' }, json: undefined };
    expect(validateChatRequest(request, DEFAULT_RULES)).toMatchObject({ status: 400 });
  });
});

describe('rules of one server', () => {
  test('add tool types', () => {
    expect(judge({ tools: [{ type: 'web_search' }] }, { toolTypes: ['web_search'] })).toBeUndefined();
  });

  test('add content types', () => {
    const messages = [{ role: 'user', content: [{ type: 'video_url' }] }];
    expect(judge({ messages }, { contentTypes: ['video_url'] })).toBeUndefined();
  });

  test('limit the number of tools', () => {
    const tools = [TOOL, { type: 'function', function: { name: 'other' } }];
    expect(judge({ tools }, { mostTools: 2 })).toBeUndefined();
    expect(judge({ tools }, { mostTools: 1 })).toMatchObject({ code: 'array_above_max_length' });
  });

  test('limit the length of descriptions', () => {
    expect(judge(withTool({ description: 'four' }), { longestDescription: 4 })).toBeUndefined();
    expect(judge(withTool({ description: 'fives' }), { longestDescription: 4 })).toMatchObject({
      param: 'tools[0].function.description',
    });
  });
});
