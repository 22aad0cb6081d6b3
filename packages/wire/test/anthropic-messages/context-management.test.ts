import { expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { json } from '../../src/framing/framings.ts';
import { SEARCH } from '../format-fixtures.ts';
import { planOf, runExchange, viewOf } from '../run-exchange.ts';

const tool = (name: string, more = {}) => ({
  name,
  description: 'x',
  input_schema: { type: 'object' },
  ...more,
});
const request = (more: object) =>
  JSON.stringify({
    model: 'claude-opus-4-5',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [tool('a'), tool('b'), tool('c')],
    ...more,
  });
const edited = (text: string, loadMode: 'swap' | 'bridge' = 'swap') =>
  JSON.parse(
    new TextDecoder().decode(
      anthropicMessages.editing.editRequest(
        viewOf(anthropicMessages, text),
        planOf(['a', 'b'], [], loadMode),
        {
          hiddenTurns: [],
          rounds: [],
        },
      ),
    ),
  );

test('searches are excluded from what the provider clears', () => {
  const edits = [
    { type: 'clear_tool_uses_20250919', exclude_tools: ['c'] },
    { type: 'clear_tool_uses_20250919' },
    { type: 'clear_thinking_20251015' },
  ];
  expect(edited(request({ context_management: { edits } })).context_management.edits).toEqual([
    { ...edits[0], exclude_tools: ['c', SEARCH] },
    { ...edits[1], exclude_tools: [SEARCH] },
    edits[2],
  ]);
});

const applied = (cleared: number) => ({
  applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: cleared }],
});
const message = (content: object, stop: string, cleared: number) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [content],
  stop_reason: stop,
  usage: { input_tokens: 1, output_tokens: 1 },
  context_management: applied(cleared),
});
const found = { type: 'tool_use', id: 'toolu_s', name: SEARCH, input: { queries: ['x'] } };

test('the client learns what was cleared in every round, streamed and whole', () => {
  const rounds = [message(found, 'tool_use', 1), message({ type: 'text', text: 'Hi.' }, 'end_turn', 2)];
  const stream = ({ content, stop_reason, context_management, ...rest }: (typeof rounds)[0]) =>
    [
      { type: 'message_start', message: { ...rest, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: content[0] },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 }, context_management },
      { type: 'message_stop' },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');
  const written = rounds.map((round) => ({ stream: stream(round), whole: JSON.stringify(round) }));
  const both = { applied_edits: [...applied(1).applied_edits, ...applied(2).applied_edits] };
  const plan = planOf(['a', 'b']);
  const streamed = runExchange(
    anthropicMessages,
    viewOf(anthropicMessages, request({ stream: true })),
    written,
    plan,
  );
  const end = streamed.text.split('\n').find((line) => line.startsWith('data: {"type":"message_delta"'))!;
  expect(JSON.parse(end.slice(6)).context_management).toEqual(both);
  const whole = runExchange(anthropicMessages, viewOf(anthropicMessages, request({})), written, plan, json);
  expect(JSON.parse(whole.text).context_management).toEqual(both);
});

test('in bridge mode, examples of a tool stand in its definition', () => {
  const tools = [tool('a', { input_examples: [{ city: 'Köln' }] }), tool('b'), tool('c')];
  const plan = { ...planOf(['a', 'b'], [], 'bridge'), preload: { names: ['a'], form: 'text' } } as const;
  const view = viewOf(anthropicMessages, request({ tools }));
  const bytes = anthropicMessages.editing.editRequest(view, plan, { hiddenTurns: [], rounds: [] });
  expect(JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)).messages)).toContain(
    '\\"examples\\":[{\\"city\\":\\"Köln\\"}]',
  );
});
