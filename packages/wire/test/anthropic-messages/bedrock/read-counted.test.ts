import { expect, test } from 'vitest';
import { anthropicBedrock } from '../../../src/anthropic-messages/anthropic-bedrock.ts';
import { BodyBytes } from '../../../src/json/body-bytes.ts';
import { SEARCH } from '../../format-fixtures.ts';
import { planOf } from '../../run-exchange.ts';

const PATH = '/model/eu.anthropic.claude-opus-4-6-v1%3A0/count-tokens';
const INVOCATION = {
  anthropic_version: 'bedrock-2023-05-31',
  messages: [{ role: 'user', content: 'Will it rain in Köln?' }],
  tools: ['send_mail', 'read_weather'].map((name) => ({
    name,
    description: 'x',
    input_schema: { type: 'object' },
  })),
};

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const bodyOf = (body: unknown) =>
  `{"a": 1.0, "input" : {"invokeModel":{"body":${JSON.stringify(body)}, "b":[2]}} }`;

function read(text: string, take?: (bytes: number) => boolean) {
  const options = { purpose: 'count_tokens', searchToolName: SEARCH, path: PATH, query: '', take } as const;
  return anthropicBedrock.reading.readRequest(new BodyBytes([Buffer.from(text)]), options);
}

function edit(text: string, defer: readonly string[]) {
  const reading = read(text);
  if (!reading.ok) throw new Error(reading.reason);
  const past = { hiddenTurns: [], rounds: [] };
  const plan = defer.length > 0 ? planOf(defer) : { ...planOf([]), searchTool: undefined };
  return { view: reading.view, edited: anthropicBedrock.editing.editRequest(reading.view, plan, past) };
}

test('tokens are counted of the invocation that would be sent', () => {
  const { view, edited } = edit(bodyOf(base64(INVOCATION)), ['read_weather']);
  expect(view).toMatchObject({
    purpose: 'count_tokens',
    model: 'eu.anthropic.claude-opus-4-6-v1:0',
    isStream: false,
    firstUserText: 'Will it rain in Köln?',
  });
  const text = Buffer.from(edited).toString();
  const body = JSON.parse(text).input.invokeModel.body as string;
  expect(text).toBe(bodyOf(body));
  const { tools, messages } = JSON.parse(Buffer.from(body, 'base64').toString());
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['send_mail', SEARCH]);
  expect(messages).toEqual(INVOCATION.messages);
});

test('large tools that are known from an earlier request are counted alike', () => {
  const tools = Array.from({ length: 60 }, (_, at) => ({
    name: `tool_${at}`,
    description: 'Does something. '.repeat(8),
    input_schema: { type: 'object' },
  }));
  const body = bodyOf(base64({ ...INVOCATION, tools }));
  const [first, second] = [1, 2].map(() => Buffer.from(edit(body, ['tool_3']).edited).toString());
  expect(second).toBe(first);
  const counted = JSON.parse(
    Buffer.from(JSON.parse(first!).input.invokeModel.body as string, 'base64').toString(),
  );
  expect(counted.tools).toHaveLength(60);
});

test('a count without an edit keeps its bytes', () => {
  const body = bodyOf(base64(INVOCATION));
  expect(Buffer.from(edit(body, []).edited).toString()).toBe(body);
});

test.each([
  ['another shape', '{"input":{"converse":{"messages":[]}}}', 'unknown_shape'],
  ['no base64', bodyOf('{"anthropic_version":"x","messages":[]}'), 'unknown_shape'],
  ['another type', bodyOf(7), 'unknown_shape'],
  ['no JSON', bodyOf(Buffer.from('{"messages":').toString('base64')), 'not_json'],
  ['another model', bodyOf(base64({ prompt: 'x' })), 'unknown_shape'],
  ['no version', bodyOf(base64({ messages: [] })), 'unknown_shape'],
])('a count with %s is left alone', (_, body, reason) => {
  expect(read(body)).toEqual({ ok: false, reason });
});

test('a count is left alone when there is no memory for its invocation', () => {
  const body = bodyOf(base64(INVOCATION));
  const granted: number[] = [];
  read(body, (bytes) => granted.push(bytes) > 0);
  expect(granted.length).toBeGreaterThan(2);
  for (let allowed = 0; allowed < granted.length; allowed++) {
    let left = allowed;
    expect(read(body, () => left-- > 0)).toEqual({ ok: false, reason: 'short_of_memory' });
  }
});
