import type { ConversationLine, RecordedCall } from './set-source.ts';

/** A message of the Chat format. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?:
    | readonly {
        readonly id: string;
        readonly function: { readonly name: string; readonly arguments: string };
      }[]
    | null
    | undefined;
  readonly tool_call_id?: string | undefined;
}

type Turn = ConversationLine['turns'][number];

/** Returns the turns of a recorded history. Messages before the first one of the user are left out. */
export function turnsOfMessages(messages: readonly ChatMessage[]): Turn[] {
  const results = new Map(messages.map(({ tool_call_id, content }) => [tool_call_id, textOf(content)]));
  const turns: { user: string; steps: RecordedCall[][]; answer: string }[] = [];
  for (const { role, content, tool_calls } of messages) {
    const turn = turns.at(-1);
    if (role === 'user') turns.push({ user: textOf(content), steps: [], answer: '' });
    if (role !== 'assistant' || turn === undefined) continue;
    if (!tool_calls || tool_calls.length === 0) turn.answer = textOf(content);
    else {
      turn.steps.push(
        tool_calls.map(({ id, function: called }) => ({
          name: called.name,
          input: JSON.parse(called.arguments || '{}') as RecordedCall['input'],
          result: results.get(id) ?? '',
        })),
      );
    }
  }
  // The last message of a customer, such as a good-bye, may be without an answer.
  return turns.map((turn) => ({ ...turn, answer: turn.answer || 'Goodbye.' }));
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part: { text?: unknown } | null) => String(part?.text ?? '')).join('\n');
}
