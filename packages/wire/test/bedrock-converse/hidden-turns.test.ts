import { expect, test } from 'vitest';
import { bedrockConverse } from '../../src/bedrock-converse/bedrock-converse.ts';
import { awsEventStream } from '../../src/framing/aws-event-stream.ts';
import { planOf, runExchange, viewOf } from '../run-exchange.ts';
import { converseFixtures, search, text, write } from './converse-fixtures.ts';

const { writeRequest, writeTool, writeUserMessage, path } = converseFixtures;
const tools = ['weather_get', 'mail_send'].map((name) => writeTool(name, 'Does it.'));
const viewWith = (messages: readonly string[]) =>
  viewOf(bedrockConverse, writeRequest({ isStream: false, tools, messages }), path);

test.each([
  ['says nothing', write([], 'end_turn')],
  ['is cut off in its search', write([search('tooluse_Search00009z', 'mail')], 'max_tokens')],
])('a last round that %s leaves no two messages of the user in a row', (_, end) => {
  const question = writeUserMessage('Hello?');
  const view = viewWith([question]);
  const plan = planOf(['weather_get', 'mail_send']);
  const narrated = write([text('One moment. '), search('tooluse_Search00001c', 'weather')], 'tool_use');
  const { rounds } = runExchange(bedrockConverse, view, [narrated, end], plan, awsEventStream);
  const hidden = bedrockConverse.remembering.hideTurn(view, rounds)!;
  const seen = JSON.stringify({ role: 'assistant', content: [{ text: 'One moment. ' }] });
  const next = viewWith([question, seen, writeUserMessage('Go on.')]);
  const hiddenTurns = bedrockConverse.remembering.recall(next, [hidden]);
  const bytes = bedrockConverse.editing.editRequest(next, plan, { hiddenTurns, rounds: [] });
  expect(JSON.parse(new TextDecoder().decode(bytes)).messages).toMatchObject([
    { role: 'user', content: [{ text: 'Hello?' }] },
    { role: 'assistant', content: [{ text: 'One moment. ' }, { toolUse: { name: 'gateway_search_tools' } }] },
    { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_Search00001c' } }, { text: 'Go on.' }] },
  ]);
});
