import { type ClientAnswer, insist, type WireClient } from './wire-client.ts';

interface Call {
  readonly id: string;
  readonly type: 'function';
  readonly function: { name: string; arguments: string };
}

interface Message {
  role?: string;
  content?: string | null;
  reasoning_content?: string;
  tool_calls?: (Call & { readonly index: number })[];
}

interface Chunk {
  readonly id: string;
  readonly choices: {
    readonly index: number;
    readonly delta: Message;
    readonly finish_reason: string | null;
  }[];
}

/** OpenAI Chat Completions. */
export const CHAT_CLIENT: WireClient = {
  path: '/v1/chat/completions',
  stops: { text: 'stop', calls: 'tool_calls' },
  headers: ({ credential }) => ({ authorization: `Bearer ${credential}` }),
  writeBody({ model, isStream, catalogue, isNamed, number }, history) {
    const head = { model, stream: isStream, ...(isNamed && { prompt_cache_key: `chat-${number}` }) };
    return `${JSON.stringify({ ...head, messages: history }).slice(0, -1)},"tools":${catalogue.json.chat}}`;
  },
  writeResults: (results) =>
    results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text })),
  readStream(events) {
    insist(events.at(-1) === '[DONE]', 'the stream does not end in [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event) as Chunk);
    const id = chunks[0]?.id ?? '';
    insist(
      chunks.every((chunk) => chunk.id === id),
      'the id changes within the stream',
    );
    const choices = chunks.flatMap((chunk) => chunk.choices);
    insist(choices[0]?.delta.role === 'assistant', 'the stream does not begin with the role');
    const stops = choices.flatMap(({ finish_reason }) => finish_reason ?? []);
    insist(stops.length === 1 && choices.at(-1)?.finish_reason !== null, 'there is not one finish reason');
    return toAnswer({ id, stop: stops[0]!, ...joinDeltas(choices.map(({ delta }) => delta)) });
  },
  readWhole(json) {
    const { id, choices } = JSON.parse(json) as {
      id: string;
      choices: { message: Message; finish_reason: string }[];
    };
    const { message, finish_reason: stop } = choices[0]!;
    insist(message.tool_calls?.length !== 0, 'there is an empty list of calls');
    const { content, reasoning_content: thoughts = '', tool_calls: calls = [] } = message;
    return toAnswer({ id, stop, text: content ?? '', thoughts, calls });
  },
};

interface Joined {
  readonly text: string;
  readonly thoughts: string;
  readonly calls: readonly Call[];
}

function joinDeltas(deltas: readonly Message[]): Joined {
  const calls: Call[] = [];
  for (const { index, ...call } of deltas.flatMap(({ tool_calls: some = [] }) => some)) {
    if (call.id !== undefined) {
      insist(index === calls.length, `call ${calls.length} has index ${index}`);
      calls.push({ ...call, function: { ...call.function } });
    } else {
      insist(index === calls.length - 1, `a fragment of call ${calls.length - 1} has index ${index}`);
      calls[index]!.function.arguments += call.function.arguments;
    }
  }
  return {
    text: deltas.map(({ content }) => content ?? '').join(''),
    thoughts: deltas.map(({ reasoning_content: thought }) => thought ?? '').join(''),
    calls,
  };
}

function toAnswer({ id, stop, text, thoughts, calls }: Joined & { id: string; stop: string }): ClientAnswer {
  const spoken = { role: 'assistant', content: text === '' ? null : text };
  return {
    id,
    stop,
    text,
    thoughts,
    calls: calls.map((call) => ({
      id: call.id,
      name: call.function.name,
      input: JSON.parse(call.function.arguments),
    })),
    message: calls.length === 0 ? spoken : { ...spoken, tool_calls: calls },
  };
}
