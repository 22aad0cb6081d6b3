import { expect, test } from 'vitest';
import type { Past } from '../../src/index.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { editsSpokenOf, leaveOut } from '../../src/turns/leave-out.ts';

const message = JSON.stringify({
  role: 'assistant',
  content: null,
  reasoning: 'Hm.',
  tool_calls: [
    { id: 'c', type: 'function', extra: 1, function: { name: 'f', arguments: '{"reasoning":"x"}' } },
  ],
});
const past: Past = {
  hiddenTurns: [],
  rounds: [{ turn: { message, realCalls: [], searches: [] }, results: [] }],
};
const spokenOf = (text: string, status = 422) => editsSpokenOf(openaiChat.loading, { status, text }, past);

test.each([
  [
    '{"detail":[{"loc":["body","messages",1,"reasoning"],"msg":"Extra inputs are not permitted"}]}',
    ['.reasoning'],
  ],
  ['Unknown field: extra in messages[1].tool_calls[0]', ['.extra']],
  ['Unrecognized request argument supplied: stream_options', ['usage']],
  ["property 'tool_choice' is unsupported", ['choice']],
  // It demands the member.
  ['The reasoning in the thinking mode must be passed back to the API.', []],
  // Without these, a message means nothing.
  ['messages.1.content: invalid, unexpected role', []],
  ['The context is too long.', []],
])('a refusal speaks of edits: %s', (text, edits) => {
  expect(spokenOf(text)).toEqual(edits);
  expect(spokenOf(text, 429)).toEqual([]);
});

test('members of hidden messages are left out, but what programs wrote', () => {
  const [round] = leaveOut({ ...past, without: new Set(['.reasoning', '.extra', 'usage']) }).rounds;
  expect(JSON.parse(round!.turn.message)).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"reasoning":"x"}' } }],
  });
  expect(leaveOut({ ...past, without: new Set(['usage']) }).rounds[0]!.turn.message).toBe(message);
});
