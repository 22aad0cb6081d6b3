import type { WireFormat } from './raw-client.ts';

/** Returns the history after the first response to `bodyOf`, including the results of its calls. */
export function continueHistory(format: WireFormat, first: unknown): unknown[] {
  const user = { role: 'user', content: 'Do it.' };
  if (format === 'openai') {
    const { message } = (first as { choices: { message: { tool_calls: { id: string }[] } }[] }).choices[0]!;
    const results = message.tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' }));
    return [user, message, ...results];
  }
  const { content } = first as { content: { type: string; id: string }[] };
  const results = content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }));
  return [user, { role: 'assistant', content }, { role: 'user', content: results }];
}
