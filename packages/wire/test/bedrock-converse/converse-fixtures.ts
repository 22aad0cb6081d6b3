import { bedrockConverse } from '../../src/bedrock-converse/bedrock-converse.ts';
import { awsEventStream } from '../../src/framing/aws-event-stream.ts';
import type { WireEvent } from '../../src/framing/framing.ts';
import { type FormatFixtures, SEARCH } from '../format-fixtures.ts';
import { encodeAll } from '../frames.ts';
import { type Json, readStream, readWhole } from './read-converse.ts';

/** A block to write; streamed in pieces, as the provider sends it. */
export interface Block {
  readonly text?: readonly string[];
  readonly thought?: readonly string[];
  readonly call?: { readonly id: string; readonly name: string; readonly pieces: readonly string[] };
}

export const USAGE = {
  inputTokens: 20,
  outputTokens: 7,
  totalTokens: 127,
  cacheReadInputTokens: 100,
  cacheWriteInputTokens: 0,
};

export const text = (...pieces: string[]): Block => ({ text: pieces });
export const call = (id: string, name: string, ...pieces: string[]): Block => ({
  call: { id, name, pieces },
});
export const search = (id: string, query: string): Block =>
  call(id, SEARCH, '{"query"', `: ${JSON.stringify(query)}}`);
export const thinking: Block = { thought: ['Where is ', 'it? 🤔'] };
const weather = call('tooluse_Weather0001a', 'weather_get', '', '{"city":', '"Zürich"}');
const mail = call('tooluse_Mail00000001b', 'mail_send', '{"to":"a@example.org"}');

/** Returns an event as the provider frames it: with padding. */
export const event = (name: string, data: Json): WireEvent => ({
  kind: 'event',
  name,
  data: JSON.stringify({ ...data, p: 'abcdefgh' }),
});

/** A response, streamed and whole. */
export function write(blocks: readonly Block[], stopReason: string) {
  return {
    stream: encodeAll(awsEventStream, eventsOf(blocks, stopReason)),
    whole: JSON.stringify(
      {
        metrics: { latencyMs: 420 },
        output: { message: { content: blocks.map(wholeBlock), role: 'assistant' } },
        stopReason,
        usage: USAGE,
      },
      null,
      1,
    ),
  };
}

/** The events of a streamed response. Only calls have a start. */
export function eventsOf(blocks: readonly Block[], stopReason: string): WireEvent[] {
  const parts = blocks.flatMap((block, contentBlockIndex) => {
    const delta = (content: Json) => event('contentBlockDelta', { contentBlockIndex, delta: content });
    const { call: called } = block;
    const start = called && { toolUse: { name: called.name, toolUseId: called.id } };
    return [
      ...(start ? [event('contentBlockStart', { contentBlockIndex, start })] : []),
      ...(block.text ?? []).map((piece) => delta({ text: piece })),
      ...(block.thought ?? []).map((piece) => delta({ reasoningContent: { text: piece } })),
      ...(block.thought ? [delta({ reasoningContent: { signature: 'EqQBCgIYAhIk+/==' } })] : []),
      ...(called?.pieces ?? []).map((input) => delta({ toolUse: { input } })),
      event('contentBlockStop', { contentBlockIndex }),
    ];
  });
  return [
    event('messageStart', { role: 'assistant' }),
    ...parts,
    event('messageStop', { stopReason }),
    event('metadata', { metrics: { latencyMs: 420 }, usage: USAGE }),
  ];
}

function wholeBlock({ text: pieces, thought, call: called }: Block): Json {
  if (pieces) return { text: pieces.join('') };
  if (thought) {
    return { reasoningContent: { reasoningText: { signature: 'EqQBCgIYAhIk+/==', text: thought.join('') } } };
  }
  const { id, name, pieces: input } = called!;
  let parsed: unknown = {};
  try {
    parsed = JSON.parse(input.join(''));
  } catch {
    // The provider's replacement for arguments that are not JSON.
  }
  return { toolUse: { input: parsed, name, toolUseId: id } };
}

export const MODEL = 'eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0';

export const converseFixtures: FormatFixtures = {
  format: bedrockConverse,
  framing: awsEventStream,
  path: `/model/${MODEL}/converse`,
  streamPath: `/model/${MODEL}/converse-stream`,
  toolsKey: 'toolConfig',
  writeTools: (entries) => `{"tools":[${entries.join(',')}]}`,
  toolNamesIn: ({ toolConfig }) =>
    (toolConfig as { tools: { toolSpec: { name: string } }[] }).tools.map(({ toolSpec }) => toolSpec.name),
  historyIn: ({ messages }) => messages as unknown[],
  withoutHistory: ({ messages, ...body }) => body,
  otherShapes: ['{"messages":"hello"}', '{"contents":[]}'],
  routes: [
    ['POST', '/model/amazon.nova-pro-v1%3A0/converse', 'answer'],
    ['POST', '/model/amazon.nova-pro-v1:0/converse-stream', 'answer'],
    ['POST', '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse', 'answer'],
    ['POST', '/model/amazon.nova-pro-v1:0/count-tokens', 'count_tokens'],
  ],
  otherRoutes: [
    ['GET', '/model/amazon.nova-pro-v1:0/converse'],
    ['POST', '/model/amazon.nova-pro-v1:0/async-invoke'],
    ['POST', '/model/converse'],
    ['POST', '/guardrail/g/version/1/apply'],
    ['GET', '/foundation-models'],
  ],
  cannotForbidCalls: true,
  cutReason: 'max_tokens',
  otherCutReasons: [
    'model_context_window_exceeded',
    'stop_sequence',
    'guardrail_intervened',
    'content_filtered',
    'malformed_model_output',
  ],
  usage: { inputTokens: 120, outputTokens: 7, cachedInputTokens: 100, cacheWriteTokens: 0 },
  answers: {
    text: write([text('Grüezi, ', '世界 👋')], 'end_turn'),
    call: write([text('I look. '), weather], 'tool_use'),
    two_calls: write([thinking, weather, mail], 'tool_use'),
    search: write(
      [thinking, text('One ', 'moment. '), search('tooluse_Search00001c', 'weather')],
      'tool_use',
    ),
    two_searches: write(
      [search('tooluse_Search00002d', 'weather'), search('tooluse_Search00003e', 'mail')],
      'tool_use',
    ),
    search_beside_call: write([thinking, search('tooluse_Search00004f', 'mail'), weather], 'tool_use'),
    call_beside_search: write([weather, search('tooluse_Search00005g', 'mail')], 'tool_use'),
    malformed_search: write([call('tooluse_Search00006h', SEARCH, '{"query": oh')], 'tool_use'),
    cut_search: write(
      [text('I look. '), call('tooluse_Search00007i', SEARCH, '{"query": "wea')],
      'max_tokens',
    ),
  },
  writeAnswer: ({ text: words, calls, piecesOf = (given) => [given.slice(0, 5), given.slice(5)], isCut }) =>
    write(
      [
        ...(words === undefined ? [] : [text(words)]),
        ...calls.map(({ id, name, arguments: given }) => call(id, name, ...piecesOf(given))),
      ],
      isCut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn',
    ),
  writeStreamError: (message) =>
    encodeAll(awsEventStream, [
      { kind: 'event', name: 'throttlingException', data: JSON.stringify({ message }), isError: true },
    ]),
  writeTool: (name, description) =>
    `{"toolSpec":{"name":"${name}","description":${JSON.stringify(description)},"inputSchema":{"json":{"type":"object"}}}}`,
  writeRequest: ({ tools, firstMembers = '', messages = [userMessage('Hello?')] }) => {
    const config = tools.length === 0 ? '' : `"toolConfig":{"tools":[${tools.join(',')}]},`;
    return `{${firstMembers}"inferenceConfig":{"maxTokens":100},${config}"messages":[${messages.join(',')}]}`;
  },
  writeUserMessage: userMessage,
  goOn: ({ message, calls }) => {
    const results = calls.map(({ id }) => ({
      toolResult: { toolUseId: id, content: [{ text: 'done' }], status: 'success' },
    }));
    const next =
      results.length > 0 ? JSON.stringify({ role: 'user', content: results }) : userMessage('And now?');
    return [message, next];
  },
  readStream,
  readWhole,
};

function userMessage(words: string): string {
  return JSON.stringify({ role: 'user', content: [{ text: words }] });
}
