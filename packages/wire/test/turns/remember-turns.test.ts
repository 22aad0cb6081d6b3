import { expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import type { HiddenTurn } from '../../src/format/view.ts';
import { viewOf } from '../anthropic-messages/exchange.ts';

const { remembering } = anthropicMessages;
const TOOLS = [{ name: 'weather_get', input_schema: { type: 'object' } }];
const QUESTION = { role: 'user', content: 'What is the weather?' };
const reply = (...content: object[]) => ({ role: 'assistant', content });
const view = (messages: readonly object[], model = 'm') => viewOf({ model, tools: TOOLS, messages });

test('an opening is what stands before the first turn, whatever follows', () => {
  const opening = remembering.openingKey(view([QUESTION]));
  const later = view([QUESTION, reply({ type: 'text', text: 'Sunny.' }), QUESTION]);
  expect(remembering.openingKey(later)).toBe(opening);
  expect(remembering.openingKey(view([{ ...QUESTION, content: 'Hi.' }]))).not.toBe(opening);
});

test.each([
  ['m', 1],
  ['claude-opus-5-5', 0],
])(
  'what another conversation has hidden comes back without its thinking, unless %s binds that',
  (model, count) => {
    const next = view([QUESTION, reply({ type: 'text', text: 'Sunny.' }), QUESTION], model);
    const { conversation } = remembering.historyKeys(next)[0]!;
    const hidden: HiddenTurn = {
      format: 'anthropic-messages',
      keys: { own: [], conversation },
      names: [],
      visible: '["thinking","SIGNATURE"],"Sunny."',
      before: [],
      message: JSON.stringify(
        reply({ type: 'thinking', thinking: '', signature: 'SIGNATURE' }, { type: 'text', text: 'Sunny.' }),
      ),
      results: [],
    };
    const recalled = remembering.recall(next, [hidden]);
    expect(recalled.map(({ message }) => JSON.parse(message))).toEqual(
      Array.from({ length: count }, () => reply({ type: 'text', text: 'Sunny.' })),
    );
  },
);

test('cache marks of a client make no other turn', () => {
  const block = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
  const marked = { ...block, cache_control: { type: 'ephemeral' } };
  const keysOf = (one: object) => remembering.historyKeys(view([QUESTION, reply(one), QUESTION]));
  expect(keysOf(marked)).toEqual(keysOf(block));
  expect(keysOf({ ...block, id: 's2' })).not.toEqual(keysOf(block));
});
