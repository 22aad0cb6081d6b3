import { awsEventStream } from '../../src/framing/aws-event-stream.ts';
import type { ClientAnswer } from '../format-fixtures.ts';
import { bytesOf, decodeAll } from '../frames.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A block that is being received. */
interface Written {
  text?: string;
  toolUse?: { input: unknown };
  reasoningContent?: { reasoningText: { text: string; signature?: string } };
}

interface Delta {
  readonly text?: string;
  readonly toolUse?: { readonly input: string };
  readonly reasoningContent?: { readonly text?: string; readonly signature?: string };
}

interface Message {
  readonly content: readonly Json[];
  readonly stopReason: string;
  readonly usage: Record<string, number>;
}

/** Reads a stream as the strictest client does: one start, contiguous indexes, each block opened and closed once, one stop, one usage, no exception. */
export function readStream(stream: string): ClientAnswer {
  const events = decodeAll(awsEventStream, [bytesOf(awsEventStream, stream)]);
  const content: Json[] = [];
  let open: { index: number; block: Written } | undefined;
  let state: 'new' | 'open' | 'stopped' | 'over' = 'new';
  let stopReason = '';
  let usage: Record<string, number> | undefined;
  const expect = (condition: boolean, what: string) => {
    if (!condition) throw new Error(`${what} in state ${state}`);
  };
  for (const event of events) {
    if (event.kind !== 'event') throw new Error('a comment has no frame');
    if (event.isError) throw new Error(`${event.name}: ${event.data}`);
    const data = JSON.parse(event.data);
    if (event.name === 'messageStart') {
      expect(state === 'new', 'a second start');
      state = 'open';
    } else if (event.name === 'contentBlockStart' || event.name === 'contentBlockDelta') {
      expect(state === 'open', 'a block');
      if (open === undefined) {
        expect(data.contentBlockIndex === content.length, `index ${data.contentBlockIndex}`);
        open = { index: data.contentBlockIndex, block: {} };
      }
      expect(data.contentBlockIndex === open.index, 'another block');
      if (data.start?.toolUse) open.block = { toolUse: { ...data.start.toolUse, input: '' } };
      if (data.delta) addDelta(open.block, data.delta);
    } else if (event.name === 'contentBlockStop') {
      expect(open !== undefined && data.contentBlockIndex === open.index, 'a stop');
      if (open!.block.toolUse) open!.block.toolUse.input = JSON.parse(String(open!.block.toolUse.input));
      content.push({ ...open!.block });
      open = undefined;
    } else if (event.name === 'messageStop') {
      expect(state === 'open' && open === undefined, 'the stop');
      state = 'stopped';
      stopReason = data.stopReason;
    } else if (event.name === 'metadata') {
      expect(state === 'stopped', 'the usage');
      state = 'over';
      usage = data.usage;
    } else throw new Error(`an event ${event.name}`);
  }
  expect(state === 'over', 'the end');
  return toAnswer({ content, stopReason, usage: usage! });
}

function addDelta(block: Written, { text, toolUse, reasoningContent }: Delta): void {
  if (text !== undefined) block.text = (block.text ?? '') + text;
  if (toolUse) block.toolUse!.input += toolUse.input;
  if (!reasoningContent) return;
  block.reasoningContent ??= { reasoningText: { text: '' } };
  const said = block.reasoningContent.reasoningText;
  if (reasoningContent.text !== undefined) said.text += reasoningContent.text;
  if (reasoningContent.signature !== undefined) said.signature = reasoningContent.signature;
}

export function readWhole(body: string): ClientAnswer {
  const { output, stopReason, usage, message } = JSON.parse(body);
  if (output === undefined) throw new Error(`an error: ${message}`);
  return toAnswer({ content: output.message.content, stopReason, usage });
}

function toAnswer({ content, stopReason, usage }: Message): ClientAnswer {
  return {
    id: '',
    text: content.map(({ text = '' }) => text).join(''),
    calls: content.flatMap(({ toolUse }) => {
      if (toolUse === undefined) return [];
      const { toolUseId, name, input } = toolUse as Json;
      return [{ id: String(toolUseId), name: String(name), arguments: input }];
    }),
    stopReason,
    inputTokens: usage.inputTokens! + usage.cacheReadInputTokens!,
    outputTokens: usage.outputTokens!,
    message: JSON.stringify({ role: 'assistant', content }),
  };
}
