import type { ClientAnswer } from '../format-fixtures.ts';
import { eventsOf } from './exchange.ts';

interface ReadBlock {
  type: string;
  id: string;
  name: string;
  text?: string;
  thinking?: string;
  signature?: string;
  input?: unknown;
  /** The pieces of an incomplete input. */
  json?: string;
}

interface ReadMessage {
  id: string;
  content: ReadBlock[];
  stop_reason: string | null;
  usage: {
    input_tokens: number;
    output_tokens: number;
    cache_read_input_tokens?: number | null;
    cache_creation_input_tokens?: number | null;
  };
}

/** The data of an event; its members depend on `type`. */
interface EventData {
  readonly type: string;
  readonly index: number;
  readonly message: ReadMessage;
  readonly content_block: ReadBlock;
  readonly delta: Readonly<Record<string, string>> & { readonly type: string };
  readonly usage: Partial<ReadMessage['usage']>;
}

/**
 * Reads a joined stream as the strictest client does: throws unless there is one start, contiguous indexes of blocks that
 * each stop, one `message_delta` and one end, every event under its name.
 */
export function readStream(stream: string): ClientAnswer {
  let message: ReadMessage | undefined;
  let isEnded = false;
  for (const event of eventsOf(stream)) {
    if (event.kind !== 'event') continue;
    const data = JSON.parse(event.data) as EventData;
    if (event.name !== data.type) throw new Error(`the name of ${event.data} is ${event.name}`);
    if (isEnded) throw new Error(`behind the end: ${event.data}`);
    if (data.type === 'message_start') {
      if (message !== undefined) throw new Error('a second start');
      message = structuredClone(data.message);
    } else if (data.type === 'message_stop') isEnded = true;
    else if (data.type === 'error') throw new Error(event.data);
    else if (data.type !== 'ping') applyEvent(message!, data);
  }
  if (!isEnded || !message?.stop_reason) throw new Error('no end');
  return toClientAnswer(message);
}

/** Reads a whole response. */
export function readWhole(body: string): ClientAnswer {
  return toClientAnswer(JSON.parse(body) as ReadMessage);
}

function applyEvent(message: ReadMessage, data: EventData): void {
  if (data.type === 'message_delta') {
    if (message.stop_reason !== null) throw new Error('a second message_delta');
    Object.assign(message, data.delta);
    Object.assign(message.usage, data.usage);
    return;
  }
  if (data.type === 'content_block_start') {
    if (data.index !== message.content.length) throw new Error(`index ${data.index} is not the next one`);
    message.content.push({ ...data.content_block });
    return;
  }
  const block = message.content[data.index];
  if (block === undefined) throw new Error(`no block at ${data.index}`);
  if (data.type === 'content_block_stop') closeBlock(block);
  else applyDelta(block, data.delta);
}

function applyDelta(block: ReadBlock, { type, ...delta }: EventData['delta']): void {
  if (type === 'text_delta') block.text = (block.text ?? '') + (delta.text ?? '');
  else if (type === 'thinking_delta') block.thinking = (block.thinking ?? '') + (delta.thinking ?? '');
  else if (type === 'signature_delta') block.signature = delta.signature!;
  else if (type === 'input_json_delta') block.json = (block.json ?? '') + (delta.partial_json ?? '');
  else throw new Error(`unknown delta ${type}`);
}

function closeBlock(block: ReadBlock): void {
  if (block.json) block.input = JSON.parse(block.json);
  delete block.json;
}

function toClientAnswer({ id, content, usage, stop_reason: stopReason }: ReadMessage): ClientAnswer {
  return {
    id,
    text: content.map((block) => block.text ?? '').join(''),
    calls: content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, arguments: input })),
    stopReason: String(stopReason),
    inputTokens:
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    outputTokens: usage.output_tokens,
    message: JSON.stringify({ role: 'assistant', content }),
  };
}
