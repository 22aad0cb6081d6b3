import { readFrames } from './read-frames.ts';
import { type ClientAnswer, insist, type WireClient } from './wire-client.ts';

interface Block {
  text?: string;
  toolUse?: { readonly toolUseId: string; readonly name: string; input?: unknown };
  reasoningContent?: { reasoningText: { text: string; signature?: string } };
}

/** An event by its type. */
interface Event {
  readonly messageStart?: { readonly role: string };
  readonly contentBlockStart?: {
    readonly contentBlockIndex: number;
    readonly start: { readonly toolUse?: NonNullable<Block['toolUse']> };
  };
  readonly contentBlockDelta?: {
    readonly contentBlockIndex: number;
    readonly delta: {
      readonly text?: string;
      readonly toolUse?: { readonly input: string };
      readonly reasoningContent?: { readonly text?: string; readonly signature?: string };
    };
  };
  readonly contentBlockStop?: { readonly contentBlockIndex: number };
  readonly messageStop?: { readonly stopReason: string };
  readonly metadata?: { readonly usage: object };
}

const MAX_TOKENS = 8_192;

/** Bedrock's Converse. */
export const CONVERSE_CLIENT: WireClient = {
  path: '/model',
  pathOf: ({ model, isStream }) => `/model/${encodeURIComponent(model)}/converse${isStream ? '-stream' : ''}`,
  stops: { text: 'end_turn', calls: 'tool_use' },
  headers: ({ credential, isNamed, number }) => ({
    authorization: `Bearer ${credential}`,
    ...(isNamed && { 'x-winnow-session': `converse-${number}` }),
  }),
  writeBody({ catalogue, thinking }, history) {
    const head = {
      inferenceConfig: { maxTokens: MAX_TOKENS },
      ...(thinking && { additionalModelRequestFields: { thinking } }),
      messages: history,
    };
    return `${JSON.stringify(head).slice(0, -1)},"toolConfig":{"tools":${catalogue.json.converse}}}`;
  },
  writeUser: (text) => ({ role: 'user', content: [{ text }] }),
  writeResults: (results) => [
    {
      role: 'user',
      content: results.map(({ callId, text }) => ({
        toolResult: { toolUseId: callId, content: [{ text }] },
      })),
    },
  ],
  readEvents: (body) => readFrames(body).map(({ type, payload }) => `{${JSON.stringify(type)}:${payload}}`),
  readStream(texts) {
    const events = texts.map((text) => JSON.parse(text) as Event);
    const count = (wanted: keyof Event) => events.filter((event) => event[wanted]).length;
    insist(events[0]?.messageStart !== undefined && count('messageStart') === 1, 'there is not one start');
    insist(events.at(-1)?.metadata !== undefined && count('metadata') === 1, 'there is not one usage');
    insist(events.at(-2)?.messageStop !== undefined && count('messageStop') === 1, 'there is not one stop');
    return toAnswer(events.at(-2)!.messageStop!.stopReason, readBlocks(events.slice(1, -2)));
  },
  readWhole(json) {
    const { output, stopReason } = JSON.parse(json) as {
      output: { message: { content: Block[] } };
      stopReason: string;
    };
    return toAnswer(stopReason, output.message.content);
  },
};

/** Handles the first piece of a text or a thought, which opens its block: only calls have a start event. */
function readBlocks(events: readonly Event[]): Block[] {
  const blocks: Block[] = [];
  let stopped = 0;
  let json = '';
  for (const { contentBlockStart: start, contentBlockDelta: piece, contentBlockStop: stop } of events) {
    const index = (start ?? piece ?? stop)?.contentBlockIndex;
    insist(index === stopped, `block ${index} comes where ${stopped} is open`);
    if (start) {
      insist(blocks.length === stopped && start.start.toolUse !== undefined, 'a block starts twice');
      blocks.push({ toolUse: { ...start.start.toolUse } });
      json = '';
    } else if (piece) {
      const { text, toolUse, reasoningContent } = piece.delta;
      if (blocks.length === stopped) blocks.push({});
      const block = blocks[stopped]!;
      if (text !== undefined) block.text = (block.text ?? '') + text;
      if (toolUse) json += toolUse.input;
      if (reasoningContent) {
        const { text: before = '', signature } = block.reasoningContent?.reasoningText ?? {};
        const reasoningText = {
          text: before + (reasoningContent.text ?? ''),
          signature: reasoningContent.signature ?? signature!,
        };
        block.reasoningContent = { reasoningText };
      }
    } else {
      const { toolUse } = blocks[stopped] ?? {};
      if (toolUse) toolUse.input = JSON.parse(json === '' ? '{}' : json);
      stopped += 1;
    }
  }
  insist(stopped === blocks.length, 'the last block is not stopped');
  return blocks;
}

function toAnswer(stop: string, blocks: readonly Block[]): ClientAnswer {
  return {
    id: undefined,
    stop,
    text: blocks.map(({ text = '' }) => text).join(''),
    thoughts: blocks.map(({ reasoningContent }) => reasoningContent?.reasoningText.text ?? '').join(''),
    calls: blocks.flatMap(({ toolUse }) =>
      toolUse ? [{ id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input }] : [],
    ),
    message: { role: 'assistant', content: blocks },
  };
}
