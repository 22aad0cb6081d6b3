import { expect, test } from 'vitest';
import { bedrockConverse } from '../../src/bedrock-converse/bedrock-converse.ts';
import type { Plan, Round } from '../../src/format/view.ts';
import { planOf, viewOf } from '../run-exchange.ts';
import { converseFixtures } from './converse-fixtures.ts';

const POINT = { cachePoint: { type: 'default' } };
const user = (...content: object[]) => ({ role: 'user', content });
const NAMES = ['kept', 'mail_send', 'mail_list'];
const PLAN: Plan = {
  ...planOf(['mail_send', 'mail_list'], ['mail_send']),
  loadMode: 'bridge',
  bridgeTool: { name: 'gateway_call_tool', description: 'Calls.' },
  bridged: ['mail_send', 'mail_list'],
  preload: { names: ['mail_send'], form: 'text' },
};
const ROUND: Round = {
  turn: { message: '{"role":"assistant","content":[]}', realCalls: [], searches: [] },
  results: [{ callId: 'a', kind: 'found', tools: [{ name: 'mail_list', description: '' }] }],
};

/** Returns the kinds of the blocks of each message that goes upstream. */
function sent(messages: readonly object[], rounds: readonly Round[] = [], model = 'amazon.nova-pro-v1:0') {
  const tools = NAMES.map((name) => JSON.parse(converseFixtures.writeTool(name, 'Does.')));
  const body = JSON.stringify({ messages, toolConfig: { tools } });
  const view = viewOf(bedrockConverse, body, `/model/${model}/converse`);
  const bytes = bedrockConverse.editing.editRequest(view, PLAN, { hiddenTurns: [], rounds });
  const { messages: written } = JSON.parse(Buffer.from(bytes).toString()) as {
    messages: { content: object[] }[];
  };
  return written.map(({ content }) => content.map((block) => Object.keys(block)[0]).join(' '));
}

test('preloaded tools end with a cache point in the first request, where the client sets one before them', () => {
  expect(sent([user({ text: 'Hi.' }, POINT)])).toEqual(['text cachePoint text cachePoint']);
  expect(sent([user({ text: 'Hi.' })])).toEqual(['text text']);
  const later = [
    user({ text: 'Hi.' }),
    { role: 'assistant', content: [{ text: 'Hm.' }] },
    user({ text: 'Go on.' }, POINT),
  ];
  expect(sent(later)).toEqual(['text text', 'text', 'text cachePoint']);
});

test('a hidden round ends with a cache point, unless the request has four', () => {
  const round = 'toolResult cachePoint';
  expect(sent([user({ text: 'Hi.' }, POINT)], [ROUND]).at(-1)).toBe(round);
  expect(sent([user({ text: 'Hi.' })], [ROUND]).at(-1)).toBe('toolResult');
  const part = [{ text: 'Hi.' }, POINT];
  expect(sent([user(...part, ...part, ...part)], [ROUND]).at(-1)).toBe(round);
  expect(sent([user(...part, ...part, ...part, ...part)], [ROUND]).at(-1)).toBe('toolResult');
});

test('of four cache points, the last one of the user moves to the end of a hidden round, where the model looks back', () => {
  const claude = 'eu.anthropic.claude-sonnet-4-20250514-v1:0';
  const part = [{ text: 'Hi.' }, POINT];
  const moved = (...messages: object[]) => sent(messages, [ROUND], claude);
  expect(moved(user(...part, ...part, ...part, ...part))).toEqual([
    'text cachePoint text cachePoint text cachePoint text text',
    '',
    'toolResult cachePoint',
  ]);
  const called = { role: 'assistant', content: [...part, ...part] };
  expect(moved(user(...part), called, user(...part, { text: 'Go on.' }))).toEqual([
    'text cachePoint text',
    'text cachePoint text cachePoint',
    'text text',
    '',
    'toolResult cachePoint',
  ]);
  // Content that begins with a point is left alone.
  expect(moved(user(...part), called, user(POINT)).at(-1)).toBe('toolResult');
});

test('points behind tools count when the tools are known and not read again', () => {
  const description = 'Does. '.repeat(700);
  const tools = [...NAMES.map((name) => JSON.parse(converseFixtures.writeTool(name, description))), POINT];
  const part = [{ text: 'Hi.' }, POINT];
  const body = JSON.stringify({ messages: [user(...part, ...part, ...part)], toolConfig: { tools } });
  viewOf(bedrockConverse, body, '/model/m/converse');
  const view = viewOf(bedrockConverse, body, '/model/m/converse');
  expect(view.toolBytes).toBeDefined();
  const bytes = bedrockConverse.editing.editRequest(view, PLAN, { hiddenTurns: [], rounds: [ROUND] });
  expect(
    Buffer.from(bytes)
      .toString()
      .match(/"cachePoint"/g),
  ).toHaveLength(4);
});
