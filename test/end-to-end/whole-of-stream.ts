import { decodeStream, type FormatName } from '@winnow/conformance';

type Json = Record<string, unknown>;
type Lists = Record<string, Json[] | undefined>;

/** Returns the whole response that a stream is equivalent to, put together as the vendor's own client does. */
export function wholeOfStream(bytes: Buffer, format: FormatName): Json {
  const framing = /bedrock/.test(format) ? 'frames' : format === 'ollama-chat' ? 'lines' : 'sse';
  const events = decodeStream(bytes, framing).filter(({ data }) => data !== '[DONE]');
  return ASSEMBLE[format](events.map(({ name, data }) => ({ name, json: JSON.parse(data) as Json })));
}

interface Event {
  readonly name: string;
  readonly json: Json;
}

const ASSEMBLE: Readonly<Record<FormatName, (events: readonly Event[]) => Json>> = {
  'openai-chat': chat,
  'openai-responses': (events) =>
    events.find(({ json }) => json.type === 'response.completed')!.json.response as Json,
  'anthropic-messages': messages,
  'bedrock-invoke': messages,
  'bedrock-converse': converse,
  gemini,
  'gemini-interactions': interactions,
  'ollama-chat': ollama,
};

function chat(events: readonly Event[]): Json {
  const message: Json = { role: 'assistant', content: null };
  const calls: { function: { arguments: string } }[] = [];
  for (const { json } of events) {
    const { delta } = ((json as Lists).choices?.[0] ?? {}) as { delta?: Json };
    if (typeof delta?.content === 'string') message.content = `${message.content ?? ''}${delta.content}`;
    for (const { index, ...part } of (delta?.tool_calls ?? []) as { index: number; function: Json }[]) {
      const { name, arguments: given = '' } = part.function;
      calls[index] ??= { ...part, function: { name, arguments: '' } } as never;
      calls[index]!.function.arguments += given;
    }
  }
  return { choices: [{ message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) } }] };
}

function messages(events: readonly Event[]): Json {
  const content: Json[] = [];
  let start: Json = {};
  for (const { json } of events) {
    const { type, index, delta = {} } = json as { type: string; index: number; delta?: Json };
    if (type === 'message_start') start = json.message as Json;
    if (type === 'content_block_start') content[index] = { ...(json.content_block as Json), spelt: '' };
    if (type !== 'content_block_delta') continue;
    const block = content[index]!;
    if (delta.partial_json !== undefined) block.spelt = `${block.spelt}${delta.partial_json}`;
    for (const key of ['text', 'thinking', 'signature'])
      if (delta[key] !== undefined) block[key] = `${block[key] ?? ''}${delta[key]}`;
  }
  const blocks = content.map(({ spelt, ...block }) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(String(spelt) || '{}') } : block,
  );
  return { ...start, content: blocks };
}

function converse(events: readonly Event[]): Json {
  const content: Json[] = [];
  for (const { json } of events) {
    const at = json.contentBlockIndex as number;
    const { start, delta } = json as { start?: { toolUse?: Json }; delta?: Json };
    if (start?.toolUse) content[at] = { toolUse: { ...start.toolUse, input: '' } };
    if (delta === undefined || at === undefined) continue;
    content[at] = added(content[at] ?? {}, delta);
  }
  const blocks = content.map((block) => {
    const toolUse = block.toolUse as Json | undefined;
    if (toolUse) return { toolUse: { ...toolUse, input: JSON.parse(String(toolUse.input) || '{}') } };
    return block;
  });
  return { output: { message: { role: 'assistant', content: blocks } } };
}

function added(block: Json, delta: Json): Json {
  if (delta.text !== undefined) return { text: `${block.text ?? ''}${delta.text}` };
  const toolUse = block.toolUse as Json;
  if (delta.toolUse)
    return { toolUse: { ...toolUse, input: `${toolUse.input}${(delta.toolUse as Json).input}` } };
  const thought = delta.reasoningContent as Json;
  const before = ((block.reasoningContent as Json)?.reasoningText ?? { text: '' }) as Json;
  const { text = '', signature = before.signature } = thought;
  return { reasoningContent: { reasoningText: { text: `${before.text}${text}`, signature } } };
}

function gemini(events: readonly Event[]): Json {
  const parts = events.flatMap(({ json }) => {
    const { content } = ((json as Lists).candidates?.[0] ?? {}) as { content?: { parts?: Json[] } };
    return content?.parts ?? [];
  });
  return { candidates: [{ content: { role: 'model', parts } }] };
}

function interactions(events: readonly Event[]): Json {
  const steps: Json[] = [];
  let whole: Json = {};
  for (const { json } of events) {
    const {
      event_type: type,
      index,
      delta = {},
    } = json as { event_type: string; index: number; delta: Json };
    if (type === 'interaction.completed') whole = json.interaction as Json;
    if (type === 'step.start') steps[index] = { ...(json.step as Json), spelt: '' };
    if (type !== 'step.delta') continue;
    const step = steps[index]!;
    if (delta.type === 'text') step.content = withText(step.content, delta.text);
    if (delta.type === 'thought_summary') step.summary = withText(step.summary, (delta.content as Json).text);
    if (delta.signature !== undefined) step.signature = delta.signature;
    if (delta.type === 'arguments_delta') step.spelt = `${step.spelt}${delta.arguments}`;
  }
  const whatWasSaid = steps.map(({ spelt, ...step }) =>
    step.type === 'function_call' ? { ...step, arguments: JSON.parse(String(spelt) || '{}') } : step,
  );
  return { ...whole, steps: whatWasSaid };
}

function withText(content: unknown, text: unknown): Json[] {
  const [before] = (content ?? []) as Json[];
  return [{ type: 'text', text: `${before?.text ?? ''}${text}` }];
}

function ollama(events: readonly Event[]): Json {
  const message: Json = { role: 'assistant', content: '' };
  const calls: unknown[] = [];
  for (const { json } of events) {
    const part = json.message as Json;
    for (const key of ['content', 'thinking'])
      if (part?.[key] !== undefined) message[key] = `${message[key] ?? ''}${part[key]}`;
    calls.push(...((part?.tool_calls ?? []) as unknown[]));
  }
  return { message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) } };
}
