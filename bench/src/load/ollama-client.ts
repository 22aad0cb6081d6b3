import { type ClientAnswer, insist, type WireClient } from './wire-client.ts';

interface Call {
  readonly id: string;
  readonly function: { readonly index: number; readonly name: string; readonly arguments: unknown };
}

interface Line {
  readonly message: { readonly content: string; readonly thinking?: string; readonly tool_calls?: Call[] };
  readonly done: boolean;
  readonly done_reason?: string;
}

/** Ollama's own API. */
export const OLLAMA_CLIENT: WireClient = {
  path: '/api/chat',
  stops: { text: 'stop', calls: 'stop' },
  headers: ({ credential, isNamed, number }) => ({
    authorization: `Bearer ${credential}`,
    ...(isNamed && { 'x-winnow-session': `ollama-${number}` }),
  }),
  writeBody({ model, isStream, catalogue, thinking }, history) {
    const head = { model, stream: isStream, think: thinking !== undefined };
    return `${JSON.stringify({ ...head, messages: history }).slice(0, -1)},"tools":${catalogue.json.ollama}}`;
  },
  writeResults: (results) =>
    results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text })),
  readStream(lines) {
    const all = lines.map((line) => JSON.parse(line) as Line);
    const ends = all.filter(({ done }) => done);
    insist(ends.length === 1 && all.at(-1) === ends[0], 'there is not one end');
    const messages = all.map(({ message }) => message);
    return toAnswer(ends[0]!.done_reason!, {
      content: messages.map(({ content }) => content).join(''),
      thinking: messages.map(({ thinking = '' }) => thinking).join(''),
      tool_calls: messages.flatMap(({ tool_calls: calls = [] }) => calls),
    });
  },
  readWhole(json) {
    const { message, done, done_reason: stop } = JSON.parse(json) as Line;
    insist(done, 'the response is not done');
    return toAnswer(stop!, message);
  },
};

function toAnswer(
  stop: string,
  { content, thinking = '', tool_calls: calls = [] }: Line['message'],
): ClientAnswer {
  for (const [number, { function: called }] of calls.entries()) {
    insist(called.index === number, `call ${number} has index ${called.index}`);
  }
  return {
    id: undefined,
    stop,
    text: content,
    thoughts: thinking,
    calls: calls.map(({ id, function: { name, arguments: input } }) => ({ id, name, input })),
    message: {
      role: 'assistant',
      content,
      ...(thinking !== '' && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  };
}
