import { expect, test } from 'vitest';
import { bedrockConverse } from '../../src/bedrock-converse/bedrock-converse.ts';
import { BodyBytes } from '../../src/json/body-bytes.ts';

const SEARCH = 'gateway_search_tools';
const PLAN = {
  reason: 'deferred',
  defer: ['read_weather'],
  load: [],
  searchTool: { name: SEARCH, description: 'Finds tools.' },
  loadMode: 'swap',
} as const;

const toolConfig = (...names: string[]) => ({
  tools: names.map((name) => ({ toolSpec: { name, description: 'x', inputSchema: { json: {} } } })),
});
const messages = [{ role: 'user', content: [{ text: 'Will it rain?' }] }];

function read(body: unknown) {
  return bedrockConverse.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    purpose: 'count_tokens',
    searchToolName: SEARCH,
    path: '/model/anthropic.claude-v1%3A0/count-tokens',
    query: '',
  });
}

test('tokens are counted of the request that would be sent', () => {
  const converse = {
    messages,
    system: [{ text: 'Be kind.' }],
    toolConfig: toolConfig('send_mail', 'read_weather'),
  };
  const reading = read({ input: { converse } });
  if (!reading.ok) throw new Error(reading.reason);
  const { view } = reading;
  expect(view).toMatchObject({
    model: 'anthropic.claude-v1:0',
    isStream: false,
    firstUserText: 'Will it rain?',
  });
  const edited = bedrockConverse.editing.editRequest(view, PLAN, {
    hiddenTurns: [],
    rounds: [],
  } as never);
  const { input } = JSON.parse(Buffer.from(edited).toString());
  expect(input.converse).toMatchObject({ messages, system: [{ text: 'Be kind.' }] });
  expect(
    input.converse.toolConfig.tools.map((tool: { toolSpec: { name: string } }) => tool.toolSpec.name),
  ).toEqual(['send_mail', SEARCH]);
});

test.each([
  // The format of InvokeModel reads it.
  { input: { invokeModel: { body: 'e30=' } } },
  { input: { converse: { messages: 'hello' } } },
  { input: [] },
  { messages },
])('a count of another shape is left alone: %j', (body) => {
  expect(read(body)).toEqual({ ok: false, reason: 'unknown_shape' });
});
