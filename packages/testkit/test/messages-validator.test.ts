import { describe, expect, test } from 'vitest';
import { validateMessagesRequest } from '../src/anthropic-messages/validate-messages-request.ts';
import { DEFAULT_RULES, type ProviderRules } from '../src/upstream/provider-rules.ts';
import type { Rejection } from '../src/upstream/rejection.ts';

const HEADERS = { 'x-api-key': 'test', 'anthropic-version': '2023-06-01' };
const USER = { role: 'user', content: 'What is the weather?' };
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} };
const ASKING = { role: 'assistant', content: [CALL] };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' };
const ANSWERING = { role: 'user', content: [RESULT] };
const TEXT = { type: 'text', text: 'And tomorrow?' };
const TOOL = { name: 'get_weather', input_schema: { type: 'object' } };
const OTHER = { name: 'send_mail', input_schema: { type: 'object' } };
const DEFERRED = { ...OTHER, defer_loading: true };
const MARK = { cache_control: { type: 'ephemeral' } };
const THINKING = { thinking: { type: 'enabled', budget_tokens: 1024 } };

interface Circumstances {
  readonly rules?: Partial<ProviderRules>;
  readonly headers?: Record<string, string>;
  readonly purpose?: 'message' | 'count';
}

function judge(
  body: object,
  { rules, headers = HEADERS, purpose = 'message' }: Circumstances = {},
): Rejection | undefined {
  const json = { model: 'claude-test', max_tokens: 2048, messages: [USER], ...body };
  return validateMessagesRequest(
    { path: '/v1/messages', headers, json },
    { ...DEFAULT_RULES, ...rules },
    purpose,
  );
}

const talk = (...messages: object[]): object => ({ messages, tools: [TOOL] });
const user = (...content: object[]): object => ({ role: 'user', content });
const assistant = (...content: object[]): object => ({ role: 'assistant', content });
const call = (change: object): object => assistant({ ...CALL, ...change });
const result = (change: object): object => user({ ...RESULT, ...change });
const tool = (change: object): object => ({ tools: [{ ...TOOL, ...change }] });
const reference = (name: string): object => ({ type: 'tool_reference', tool_name: name });
const marks = (count: number): object[] => Array.from({ length: count }, () => ({ ...TEXT, ...MARK }));

describe('a Messages request is let through', () => {
  test.each<[string, object]>([
    ['with text alone', {}],
    ['with a call and its result', talk(USER, ASKING, ANSWERING)],
    ['with text behind the results', talk(USER, ASKING, user(RESULT, TEXT))],
    [
      'with results and text in two user messages, which are read as one',
      talk(USER, ASKING, ANSWERING, user(TEXT)),
    ],
    [
      'with results in another order than the calls',
      talk(
        USER,
        assistant(CALL, { ...CALL, id: 'toolu_2' }),
        user({ ...RESULT, tool_use_id: 'toolu_2' }, RESULT),
      ),
    ],
    [
      'with a history that names a tool that is not declared',
      { messages: [USER, ASKING, ANSWERING], tools: [OTHER] },
    ],
    ['with a prefill', { messages: [USER, { role: 'assistant', content: 'The weather' }] }],
    ['with an empty last assistant message', { messages: [USER, { role: 'assistant', content: '' }] }],
    ['with a result without content', talk(USER, ASKING, result({ content: undefined }))],
    [
      'with a system message behind a user message',
      { messages: [USER, { role: 'system', content: 'Mind the date.' }] },
    ],
    [
      'with server tools and their blocks',
      {
        messages: [
          USER,
          assistant(
            { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
            TEXT,
          ),
          USER,
        ],
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      },
    ],
    [
      'with a file that code execution left',
      { messages: [USER, assistant({ type: 'container_upload', file_id: 'f' }, TEXT), USER] },
    ],
    [
      'with a toolset, which has no name',
      { tools: [{ type: 'browser_toolset_20260801' }, { type: 'mcp_toolset' }] },
    ],
    ['with a deferred tool and another one', { tools: [TOOL, DEFERRED] }],
    [
      'with a reference to a deferred tool',
      {
        messages: [USER, ASKING, result({ content: [reference('send_mail'), TEXT] })],
        tools: [TOOL, DEFERRED],
      },
    ],
    ['with four cache marks', { messages: [user(...marks(4))] }],
    [
      'with a long-lived mark before a short-lived one',
      {
        system: [{ ...TEXT, cache_control: { type: 'ephemeral', ttl: '1h' } }],
        messages: [user(...marks(1))],
      },
    ],
    [
      'with a forced tool that is declared',
      { tools: [TOOL], tool_choice: { type: 'tool', name: 'get_weather' } },
    ],
    ['with a thinking budget', THINKING],
    [
      'with adaptive thinking in a turn that began without a thought',
      { ...talk(USER, ASKING, ANSWERING), thinking: { type: 'adaptive' } },
    ],
    [
      'with a thinking budget and a new question behind a turn without a thought',
      { ...talk(USER, ASKING, ANSWERING, assistant(TEXT), USER), ...THINKING },
    ],
    ['with unknown members', { speed: 'fast', context_management: {} }],
  ])('%s', (_, body) => {
    expect(judge(body)).toBeUndefined();
  });
});

describe('a Messages request is rejected', () => {
  test.each<[string, object, string]>([
    ['without a model', { model: undefined }, 'model: Field required'],
    ['without max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['with max_tokens 0', { max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
    [
      'with max_tokens that are no integer',
      { max_tokens: '10' },
      'max_tokens: Input should be a valid integer',
    ],
    ['without messages', { messages: undefined }, 'messages: Field required'],
    [
      'with a message that is no object',
      { messages: [USER, 'Hello'] },
      'messages.1: Input should be a valid dictionary',
    ],
    [
      'with a tool that is no object',
      { tools: ['get_weather'] },
      'tools.0: Input should be a valid dictionary',
    ],
    [
      'with a thought of no text',
      { messages: [USER, assistant({ type: 'thinking', signature: 'y' }), USER] },
      'thinking.thinking: Field required',
    ],
    ['with no message', { messages: [] }, 'at least one message is required'],
    [
      'that begins with the assistant',
      { messages: [assistant(TEXT), USER] },
      'first message must use the "user" role',
    ],
    ['with an unknown role', { messages: [USER, { role: 'tool', content: 'x' }] }, 'Unexpected role "tool"'],
    [
      'with an empty text',
      { messages: [{ role: 'user', content: '' }] },
      'all messages must have non-empty content',
    ],
    ['with no content', { messages: [{ role: 'user' }] }, 'messages.0.content: Field required'],
    [
      'with content of no known form',
      { messages: [{ role: 'user', content: 7 }] },
      'messages.0.content: Input should be a valid list',
    ],
    ['with no blocks', { messages: [user()] }, 'all messages must have non-empty content'],
    [
      'with an empty assistant message in the middle',
      { messages: [USER, assistant(), USER] },
      'messages.1: all messages must have non-empty content',
    ],
    [
      'with an empty text block',
      { messages: [user({ type: 'text', text: '' })] },
      'messages.0.content: text content blocks must be non-empty',
    ],
    [
      'with a blank text block',
      { messages: [user({ type: 'text', text: ' \n' })] },
      'must contain non-whitespace text',
    ],
    ['with a blank text', { messages: [{ role: 'user', content: ' ' }] }, 'must contain non-whitespace text'],
    [
      'with an empty system block',
      { system: [{ type: 'text', text: '' }] },
      'system: text content blocks must be non-empty',
    ],
    [
      'with an unknown content type',
      { messages: [user({ type: 'hologram' })] },
      "Input tag 'hologram' found using 'type'",
    ],
    [
      'with a block without a type',
      { messages: [user({ text: 'x' })] },
      'messages.0.content.0: Input should be an object with a type',
    ],
    [
      'with a call in a user message',
      { ...talk(user(CALL)) },
      '`tool_use` blocks can only be in `assistant` messages',
    ],
    [
      'with a result in an assistant message',
      talk(USER, assistant(RESULT)),
      '`tool_result` blocks can only be in `user` messages',
    ],
    [
      'with a system message before the user speaks',
      { messages: [USER, assistant(TEXT), { role: 'system', content: 'x' }] },
      'a "system" message must follow a "user" message',
    ],
    [
      'with a prefill that ends in a space',
      { messages: [USER, { role: 'assistant', content: 'The ' }] },
      'cannot end with trailing whitespace',
    ],
    [
      'with a prefill and thinking',
      { messages: [USER, { role: 'assistant', content: 'The' }], ...THINKING },
      'prefilling the assistant message is not supported',
    ],
    [
      'with a call that has no result',
      talk(USER, ASKING, USER),
      '`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
    ],
    ['that ends with a call', talk(USER, ASKING), '`tool_use` ids were found without `tool_result` blocks'],
    [
      'with text before the results',
      talk(USER, ASKING, user(TEXT, RESULT)),
      '`tool_use` ids were found without `tool_result` blocks',
    ],
    [
      'with one of two calls answered',
      talk(USER, assistant(CALL, { ...CALL, id: 'toolu_2' }), ANSWERING),
      'immediately after: toolu_2',
    ],
    [
      'with a result of no call',
      talk(USER, ASKING, user(RESULT, { ...RESULT, tool_use_id: 'toolu_9' })),
      'unexpected `tool_use_id` found in `tool_result` blocks: toolu_9',
    ],
    ['with a result without any call', talk(ANSWERING), 'unexpected `tool_use_id`'],
    [
      'with a result that comes a turn late',
      talk(USER, ASKING, ANSWERING, assistant(TEXT), ANSWERING),
      'unexpected `tool_use_id`',
    ],
    [
      'with two results of one call',
      talk(USER, ASKING, user(RESULT, RESULT)),
      'each tool_use must have a single result',
    ],
    [
      'with the same call id twice',
      talk(USER, ASKING, ANSWERING, ASKING, ANSWERING),
      '`tool_use` ids must be unique',
    ],
    [
      'with a call id outside the alphabet',
      talk(USER, call({ id: 'a.b' }), ANSWERING),
      'messages.1.content.0.tool_use.id: String should match pattern',
    ],
    [
      'with a call without a name',
      talk(USER, call({ name: '' }), ANSWERING),
      'messages.1.content.0.tool_use.name',
    ],
    [
      'with arguments that are a text',
      talk(USER, call({ input: '{}' }), ANSWERING),
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    ],
    [
      'with a result that names no call',
      talk(USER, ASKING, result({ tool_use_id: undefined })),
      'tool_result.tool_use_id: Field required',
    ],
    [
      'with a failed result that says nothing',
      talk(USER, ASKING, result({ content: [], is_error: true })),
      'content cannot be empty if `is_error` is true',
    ],
    [
      'with an unknown type in a result',
      talk(USER, ASKING, result({ content: [{ type: 'tool_use' }] })),
      "Input tag 'tool_use' found using 'type'",
    ],
    [
      'with an empty text in a result',
      talk(USER, ASKING, result({ content: [{ type: 'text', text: '' }] })),
      'text content blocks must be non-empty',
    ],
    [
      'with tool blocks but no tools',
      { messages: [USER, ASKING, ANSWERING] },
      'tools: Field required when the conversation holds',
    ],
    ['with tools that are no list', { tools: {} }, 'tools: Input should be a valid list'],
    ['with an empty list of tools', { tools: [] }, 'tools: List should have at least 1 item'],
    [
      'with a tool of an unknown type',
      { tools: [{ type: 'function', function: {} }] },
      "Input tag 'function' found using 'type'",
    ],
    ['with a tool without a name', tool({ name: undefined }), 'tools.0.custom.name: Field required'],
    [
      'with a name outside the alphabet',
      tool({ name: 'get weather' }),
      'tools.0.custom.name: String should match pattern',
    ],
    [
      'with a name of 129 characters',
      tool({ name: 'n'.repeat(129) }),
      'tools.0.custom.name: String should match pattern',
    ],
    ['with a description that is no text', tool({ description: null }), 'tools.0.custom.description'],
    [
      'with a tool without a schema',
      tool({ input_schema: undefined }),
      'tools.0.custom.input_schema: Field required',
    ],
    [
      'with a schema that is no object',
      tool({ input_schema: 'object' }),
      'tools.0.custom.input_schema: Input should be a valid dictionary',
    ],
    [
      'with a schema without a type',
      tool({ input_schema: {} }),
      'tools.0.custom.input_schema.type: Field required',
    ],
    [
      'with a schema of another type',
      tool({ input_schema: { type: 'string' } }),
      "input_schema.type: Input should be 'object'",
    ],
    [
      'with a union at the top of a schema',
      tool({ input_schema: { type: 'object', anyOf: [] } }),
      'does not support oneOf, allOf, or anyOf',
    ],
    [
      'with properties that are no object',
      tool({ input_schema: { type: 'object', properties: [] } }),
      'input_schema.properties',
    ],
    ['with two tools of one name', { tools: [TOOL, TOOL] }, 'Tool names must be unique'],
    ['with every tool deferred', { tools: [DEFERRED] }, 'At least one tool must be non-deferred'],
    [
      'with a cache mark on a deferred tool',
      { tools: [TOOL, { ...DEFERRED, ...MARK }] },
      'cannot have both defer_loading=true and cache_control set',
    ],
    [
      'with a reference to a tool that is not declared',
      talk(USER, ASKING, result({ content: [reference('send_mail')] })),
      "messages.2.content.0.content.0: Tool reference 'send_mail' not found",
    ],
    [
      'with a forced tool that is not declared',
      { tools: [TOOL], tool_choice: { type: 'tool', name: 'send_mail' } },
      "Tool 'send_mail' not found in provided tools",
    ],
    [
      'with a choice of no known form',
      { tools: [TOOL], tool_choice: 'auto' },
      'tool_choice: Input tag does not match',
    ],
    [
      'with a choice without tools',
      { tool_choice: { type: 'auto' } },
      'may only be specified while providing tools',
    ],
    [
      'with thinking while a call is forced',
      { tools: [TOOL], tool_choice: { type: 'any' }, ...THINKING },
      'Thinking may not be enabled when tool_choice forces tool use',
    ],
    [
      'with adaptive thinking while a call is forced',
      { tools: [TOOL], tool_choice: { type: 'tool', name: 'get_weather' }, thinking: { type: 'adaptive' } },
      'Thinking may not be enabled',
    ],
    [
      'with five cache marks',
      { system: [{ ...TEXT, ...MARK }], tools: [{ ...TOOL, ...MARK }], messages: [user(...marks(3))] },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'with a fifth cache mark inside a result',
      { ...talk(USER, ASKING, user({ ...RESULT, content: [{ ...TEXT, ...MARK }] }, ...marks(4))) },
      'Found 5.',
    ],
    ['with four marks and one for the whole request', { ...MARK, messages: [user(...marks(4))] }, 'Found 5.'],
    [
      'with a mark of an unknown type',
      { messages: [user({ ...TEXT, cache_control: { type: 'forever' } })] },
      "cache_control.type: Input should be 'ephemeral'",
    ],
    [
      'with a mark of an unknown lifetime',
      { messages: [user({ ...TEXT, cache_control: { type: 'ephemeral', ttl: '2h' } })] },
      'cache_control.ttl',
    ],
    [
      'with a long-lived mark behind a short-lived one',
      {
        system: [{ ...TEXT, ...MARK }],
        messages: [user({ ...TEXT, cache_control: { type: 'ephemeral', ttl: '1h' } })],
      },
      "must not come after a ttl='5m'",
    ],
    [
      'with a thinking budget that is too small',
      { thinking: { type: 'enabled', budget_tokens: 1023 } },
      'greater than or equal to 1024',
    ],
    ['with thinking of an unknown kind', { thinking: { type: 'deep' } }, "thinking: Input tag 'deep'"],
    ['with no thinking budget', { thinking: { type: 'enabled' } }, 'budget_tokens: Field required'],
    [
      'with max_tokens no larger than the budget',
      { thinking: { type: 'enabled', budget_tokens: 2048 } },
      '`max_tokens` must be greater than `thinking.budget_tokens`',
    ],
    [
      'with a thinking budget and a turn that began without a thought',
      { ...talk(USER, ASKING, ANSWERING), ...THINKING },
      'Expected `thinking` or `redacted_thinking`, but found `tool_use`',
    ],
    [
      'with a cache mark on a thought',
      { messages: [USER, assistant({ type: 'thinking', thinking: 'x', signature: 'y', ...MARK }), USER] },
      'thinking.cache_control: Extra inputs are not permitted',
    ],
    [
      'with a thought without a signature',
      { messages: [USER, assistant({ type: 'thinking', thinking: 'x' }), USER] },
      'thinking.signature: Field required',
    ],
    [
      'with an invented signature',
      { messages: [USER, assistant({ type: 'thinking', thinking: 'x', signature: 'y' }), USER] },
      'Invalid `signature` in `thinking` block',
    ],
    [
      'with a hidden thought without its data',
      { messages: [USER, assistant({ type: 'redacted_thinking' }), USER] },
      'redacted_thinking.data: Field required',
    ],
  ])('%s', (_, body, message) => {
    expect(judge(body)).toMatchObject({ status: 400, message: expect.stringContaining(message) });
  });

  test('without a key', () => {
    expect(judge({}, { headers: { 'anthropic-version': '2023-06-01' } })).toMatchObject({ status: 401 });
  });

  test('without a version', () => {
    const message = 'anthropic-version: header is required';
    expect(judge({}, { headers: { authorization: 'Bearer test' } })).toMatchObject({ status: 400, message });
  });

  test('with a version that does not exist', () => {
    const headers = { ...HEADERS, 'anthropic-version': '2024-01-01' };
    expect(judge({}, { headers })).toMatchObject({
      message: expect.stringContaining('is not a valid version'),
    });
  });

  test('when the body is not a JSON object', () => {
    const request = { path: '/v1/messages', headers: HEADERS, json: [] };
    expect(validateMessagesRequest(request, DEFAULT_RULES, 'message')).toMatchObject({ status: 400 });
  });
});

describe('a count of tokens', () => {
  test('needs no max_tokens', () => {
    expect(judge({ max_tokens: undefined }, { purpose: 'count' })).toBeUndefined();
  });

  test('is rejected for the same history', () => {
    expect(judge(talk(USER, ASKING), { purpose: 'count' })).toMatchObject({ status: 400 });
  });
});

describe('rules of one model', () => {
  test('leave deferral out', () => {
    const body = { model: 'claude-old', tools: [TOOL, DEFERRED] };
    const rules = { supportsDeferral: (model: string) => model !== 'claude-old' };
    expect(judge(body, { rules })).toMatchObject({
      message: expect.stringContaining('not supported by this model'),
    });
    expect(judge({ ...body, model: 'claude-new' }, { rules })).toBeUndefined();
  });

  test('limit the number of tools', () => {
    expect(judge({ tools: [TOOL, OTHER] }, { rules: { mostTools: 2 } })).toBeUndefined();
    expect(judge({ tools: [TOOL, OTHER] }, { rules: { mostTools: 1 } })).toMatchObject({ status: 400 });
  });

  test('add tool and content types', () => {
    const body = { tools: [{ type: 'gadget' }], messages: [user({ type: 'hologram' })] };
    expect(judge(body, { rules: { toolTypes: ['gadget'], contentTypes: ['hologram'] } })).toBeUndefined();
  });
});
