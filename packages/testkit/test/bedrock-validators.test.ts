import { expect, test } from 'vitest';
import { BEDROCK_CONVERSE } from '../src/bedrock/bedrock-converse.ts';
import { BEDROCK_INVOKE } from '../src/bedrock/bedrock-invoke.ts';
import { DEFAULT_RULES } from '../src/upstream/provider-rules.ts';

const headers = { authorization: 'Bearer key' };
const MODEL = '/model/anthropic.claude-sonnet-4-5';
const spec = (name: string, more: object = {}) => ({
  toolSpec: { name, description: 'Does.', inputSchema: { json: { type: 'object' } }, ...more },
});
const user = (...content: object[]) => ({ role: 'user', content });
const model = (...content: object[]) => ({ role: 'assistant', content });
const text = (said: string) => ({ text: said });
const use = (toolUseId: string, more: object = {}) => ({
  toolUse: { toolUseId, name: 'a', input: {}, ...more },
});
const result = (toolUseId: string) => ({ toolResult: { toolUseId, content: [text('done')] } });
const CACHE = { cachePoint: { type: 'default' } };

const judge = (json: object, own: Record<string, string> = headers) =>
  BEDROCK_CONVERSE.validate({ path: `${MODEL}/converse`, headers: own, json }, DEFAULT_RULES)?.message;
const hello = [user(text('Hi.'))];
const answered = [...hello, model(use('t')), user(result('t'), text('Go on.'))];
const body = (messages: object[], tools: object[] = [spec('a')], more: object = {}) => ({
  messages,
  toolConfig: { tools },
  ...more,
});

test.each([
  ['a question', body(hello)],
  ['a result in front of words', body(answered)],
  ['cache points behind what they cache', body([user(text('Hi.'), CACHE)], [spec('a'), CACHE])],
  [
    'a choice',
    body(hello, [spec('a')], { toolConfig: { tools: [spec('a')], toolChoice: { tool: { name: 'a' } } } }),
  ],
  ['a tool of the provider', body(hello, [{ systemTool: { name: 'nova_grounding' } }])],
])('takes %s', (_, request) => {
  expect(judge(request)).toBeUndefined();
});

test.each([
  ['extraneous key [tools]', { ...body(hello), tools: [] }],
  ['extraneous key [defer_loading]', body(hello, [spec('a', { defer_loading: true })])],
  ['extraneous key [type]', body(hello, [{ ...spec('a'), type: 'x' }])],
  ['extraneous key [id]', body([{ ...user(text('Hi.')), id: 'x' }])],
  ['extraneous key [max_tokens]', body(hello, [spec('a')], { inferenceConfig: { max_tokens: 5 } })],
  ['must start with a user message', body([model(text('Hi.'))])],
  ['alternate between user and assistant', body([...hello, ...hello])],
  ['is empty', body([user()])],
  ['is blank', body([user(text(' \n'))])],
  ['must set one of the following keys', body([user({ text: 'a', image: {} })])],
  ['toolUse.input is invalid', body([...hello, model(use('t', { input: '{}' })), user(result('t'))])],
  ['regular expression pattern', body(hello, [spec('a.b')])],
  ['regular expression pattern', body(hello, [spec('a'.repeat(65))])],
  ['duplicate tool name', body(hello, [spec('a'), spec('a')])],
  ['inputSchema.json.type', body(hello, [spec('a', { inputSchema: { json: {} } })])],
  ['length greater than or equal to 1', body(hello, [])],
  [
    'none of the tools',
    body(hello, [], { toolConfig: { tools: [spec('a')], toolChoice: { tool: { name: 'b' } } } }),
  ],
  ['toolConfig field must be defined', { messages: answered }],
  ['nothing to cache', body(hello, [CACHE, spec('a')])],
  ['nothing to cache', body(hello, [spec('a'), CACHE, CACHE])],
  ['5 cache points', body([user(...Array.from({ length: 5 }, () => [text('x'), CACHE]).flat())])],
  ['without `tool_result` blocks', body([...hello, model(use('t')), user(text('Go on.'))])],
  ['without `tool_result` blocks', body([...hello, model(use('t')), user(text('First.'), result('t'))])],
  ['unexpected `tool_use_id`', body([user(result('t'))])],
  [
    'Invalid `signature`',
    body([
      ...hello,
      model({ reasoningContent: { reasoningText: { text: 'Hm.', signature: 'forged' } } }, use('t')),
      user(result('t')),
    ]),
  ],
])('refuses by Converse: %s', (message, request) => {
  expect(judge(request)).toContain(message);
});

test('refuses a request without credentials', () => {
  expect(judge(body(hello), {})).toContain('Missing Authentication');
});

const invoke = (json: object, more: Record<string, string> = {}) =>
  BEDROCK_INVOKE.validate({ path: `${MODEL}/invoke`, headers: { ...headers, ...more }, json }, DEFAULT_RULES)
    ?.message;
const tool = { name: 'a', input_schema: { type: 'object' } };
const message = {
  anthropic_version: 'bedrock-2023-05-31',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'Hi.' }],
  tools: [tool],
};

test('accepts an invocation, and one that defers by the beta in its body', () => {
  const deferred = { ...tool, name: 'b', defer_loading: true };
  expect(invoke(message)).toBeUndefined();
  const betas = { anthropic_beta: ['tool-search-tool-2025-10-19'] };
  expect(invoke({ ...message, ...betas, tools: [tool, deferred] })).toBeUndefined();
});

test.each([
  ['extraneous key [model]', { ...message, model: 'x' }, {}],
  ['extraneous key [stream]', { ...message, stream: true }, {}],
  ['Invalid API version', { ...message, anthropic_version: undefined }, {}],
  ['Betas stand in the body', message, { 'anthropic-beta': 'x' }],
  ['defer_loading', { ...message, tools: [tool, { ...tool, name: 'b', defer_loading: true }] }, {}],
  ['max_tokens', { ...message, max_tokens: undefined }, {}],
])('refuses by InvokeModel: %s', (words, request, more) => {
  expect(invoke(request, more)).toContain(words);
});
