import { type ClientAnswer, insist, type WireClient } from './wire-client.ts';

interface Block {
  readonly type: string;
  id?: string;
  name?: string;
  text?: string;
  thinking?: string;
  signature?: string;
  input?: unknown;
}

interface Event {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly id: string };
  readonly content_block?: Block;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly signature?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string;
  };
}

const MAX_TOKENS = 8_192;

/** Anthropic Messages. */
export const MESSAGES_CLIENT: WireClient = {
  path: '/v1/messages',
  stops: { text: 'end_turn', calls: 'tool_use' },
  headers: ({ credential, isNamed, number }) => ({
    'x-api-key': credential,
    'anthropic-version': '2023-06-01',
    ...(isNamed && { 'x-winnow-session': `messages-${number}` }),
  }),
  writeBody({ model, isStream, catalogue, thinking }, history) {
    const head = { model, max_tokens: MAX_TOKENS, stream: isStream, ...(thinking && { thinking }) };
    return `${JSON.stringify({ ...head, messages: history }).slice(0, -1)},"tools":${catalogue.json.messages}}`;
  },
  writeResults: (results) => [
    {
      role: 'user',
      content: results.map(({ callId, text }) => ({
        type: 'tool_result',
        tool_use_id: callId,
        content: text,
      })),
    },
  ],
  readStream(texts) {
    const events = texts.map((text) => JSON.parse(text) as Event).filter(({ type }) => type !== 'ping');
    const count = (wanted: string) => events.filter(({ type }) => type === wanted).length;
    insist(events[0]?.type === 'message_start' && count('message_start') === 1, 'there is not one start');
    insist(events.at(-1)?.type === 'message_stop' && count('message_stop') === 1, 'there is not one stop');
    insist(events.at(-2)?.type === 'message_delta' && count('message_delta') === 1, 'there is not one end');
    const blocks = readBlocks(events.slice(1, -2));
    return toAnswer(events[0].message!.id, events.at(-2)!.delta!.stop_reason!, blocks);
  },
  readWhole(json) {
    const {
      id,
      stop_reason: stop,
      content,
    } = JSON.parse(json) as {
      id: string;
      stop_reason: string;
      content: Block[];
    };
    return toAnswer(id, stop, content);
  },
};

function readBlocks(events: readonly Event[]): Block[] {
  const blocks: Block[] = [];
  let json = '';
  let isOpen = false;
  for (const { type, index, content_block: start, delta } of events) {
    if (start) {
      insist(!isOpen && index === blocks.length, `block ${blocks.length} starts as ${index}`);
      blocks.push({ ...start });
      json = '';
      isOpen = true;
      continue;
    }
    const block = blocks.at(-1)!;
    insist(isOpen && index === blocks.length - 1, `${type} of block ${index} is out of place`);
    if (type === 'content_block_stop') {
      if (block.type.endsWith('tool_use')) block.input = JSON.parse(json === '' ? '{}' : json);
      isOpen = false;
    } else if (delta?.type === 'text_delta') block.text += delta.text!;
    else if (delta?.type === 'thinking_delta') block.thinking += delta.thinking!;
    else if (delta?.type === 'signature_delta') block.signature = delta.signature!;
    else if (delta?.type === 'input_json_delta') json += delta.partial_json!;
    else insist(false, `the event ${type} is unknown`);
  }
  insist(!isOpen, 'the last block is not stopped');
  return blocks;
}

function toAnswer(id: string, stop: string, blocks: readonly Block[]): ClientAnswer {
  const textOf = (wanted: string, member: 'text' | 'thinking') =>
    blocks.map((block) => (block.type === wanted ? block[member]! : '')).join('');
  return {
    id,
    stop,
    text: textOf('text', 'text'),
    thoughts: textOf('thinking', 'thinking'),
    calls: blocks.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id!, name: block.name!, input: block.input }] : [],
    ),
    message: { role: 'assistant', content: blocks },
  };
}
