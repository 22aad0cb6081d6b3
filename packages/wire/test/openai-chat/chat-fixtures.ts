import { sse } from '../../src/framing/sse.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import {
  type AnswerToWrite,
  type ClientAnswer,
  type FormatFixtures,
  type RequestOptions,
  SEARCH,
  type WrittenResponse,
} from '../format-fixtures.ts';
import { readChatStream } from './read-chat-stream.ts';

/** A call in an answer to write. */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

interface Answer extends Pick<AnswerToWrite, 'piecesOf' | 'isAlternating'> {
  readonly id: string;
  readonly text?: readonly string[];
  readonly calls?: readonly Call[];
  readonly finishReason?: string;
}

const WEATHER_CALL = { id: 'call_weather', name: 'weather_get', arguments: '{"city": "Zürich"}' };
const MAIL_CALL = { id: 'call_mail', name: 'mail_send', arguments: '{"to":"ada","urgency":1.0}' };
const weatherSearch = (id: string) => ({ id, name: SEARCH, arguments: '{"query":"weather"}' });
const mailSearch = (id: string) => ({ id, name: SEARCH, arguments: '{"query": "mail" }' });

const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 64 },
};

/** The fixtures of Chat Completions for the contract suite. */
export const chatFixtures: FormatFixtures = {
  format: openaiChat,
  framing: sse,
  path: '/v1/chat/completions',
  toolsKey: 'tools',
  writeTools: (entries) => `[${entries.join(',')}]`,
  toolNamesIn: ({ tools }) =>
    (tools as { function: { name: string } }[]).map(({ function: { name } }) => name),
  historyIn: ({ messages }) => messages as unknown[],
  withoutHistory: ({ messages, ...body }) => body,
  otherShapes: ['{"messages":"hello"}', '{"contents":[]}'],
  routes: [
    ['POST', '/v1/chat/completions', 'answer'],
    ['POST', '/chat/completions', 'answer'],
    ['POST', '/openai/deployments/my-model/chat/completions', 'answer'],
    ['POST', '/openai/v1/chat/completions', 'answer'],
    ['POST', '/api/v1/chat/completions', 'answer'],
    ['POST', '/v1beta/openai/chat/completions', 'answer'],
  ],
  otherRoutes: [
    ['GET', '/v1/chat/completions'],
    ['GET', '/v1/chat/completions/chatcmpl-1'],
    ['POST', '/v1/chat/completions/chatcmpl-1'],
    ['POST', '/v1/completions'],
    ['POST', '/v1/responses'],
    ['POST', '/v1/messages'],
    ['GET', '/v1/models'],
  ],
  ownChoices: ['"tool_choice":"required",'],
  cutReason: 'length',
  keepsArguments: true,
  otherCutReasons: ['content_filter'],
  usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 64 },
  answers: {
    text: write({ id: 'chatcmpl-text', text: ['Grüezi', ', 世界', ' 👋'] }),
    call: write({ id: 'chatcmpl-call', text: ['I ask.'], calls: [WEATHER_CALL] }),
    two_calls: write({ id: 'chatcmpl-calls', calls: [WEATHER_CALL, MAIL_CALL] }),
    search: write({ id: 'chatcmpl-search', text: ['Let me ', 'look. '], calls: [weatherSearch('call_s1')] }),
    two_searches: write({ id: 'chatcmpl-two', calls: [weatherSearch('call_s2'), mailSearch('call_s3')] }),
    search_beside_call: write({ id: 'chatcmpl-mixed', calls: [mailSearch('call_s4'), WEATHER_CALL] }),
    call_beside_search: write({ id: 'chatcmpl-mixed', calls: [WEATHER_CALL, mailSearch('call_s5')] }),
    malformed_search: write({
      id: 'chatcmpl-bad',
      calls: [{ id: 'call_s6', name: SEARCH, arguments: '{"query":weather' }],
    }),
    cut_search: write({
      id: 'chatcmpl-cut',
      text: ['I look.'],
      calls: [{ id: 'call_s7', name: SEARCH, arguments: '{"que' }],
      finishReason: 'length',
    }),
  },
  writeAnswer: ({ text, isCut, calls, ...answer }) =>
    write({
      ...answer,
      ...(text !== undefined && { text: [text] }),
      ...(calls.length > 0 && { calls }),
      ...(isCut && { finishReason: 'length' }),
    }),
  writeStreamError: (message) => `data: ${JSON.stringify({ error: { message, type: 'server_error' } })}\n\n`,
  writeTool: (name, description) =>
    `{"type":"function","function":{"name":"${name}","description":"${description}","parameters":{"type":"object"}}}`,
  writeRequest,
  writeUserMessage: (content) => JSON.stringify({ role: 'user', content }),
  goOn: ({ message, calls }) =>
    calls.length === 0
      ? [message, '{"role":"user","content":"Go on."}']
      : [
          message,
          ...calls.map(({ id }) => JSON.stringify({ role: 'tool', tool_call_id: id, content: 'Done.' })),
        ],
  readStream: readChatStream,
  readWhole,
};

function writeRequest({ isStream, tools, firstMembers = '', messages = [] }: RequestOptions): string {
  const stream = isStream ? '"stream":true,"stream_options":{"include_usage":true},' : '';
  const listed = tools.length === 0 ? '' : `,"tools":[${tools.join(',')}]`;
  return `{${firstMembers}"model":"gpt-test",${stream}"messages":[${messages.join(',')}]${listed}}`;
}

function readWhole(body: string): ClientAnswer {
  const { id, choices, usage } = JSON.parse(body);
  const [{ message, finish_reason: stopReason }] = choices;
  const calls = (message.tool_calls ?? []).map(({ id: callId, function: called }: never) => ({
    id: callId,
    name: (called as Call).name,
    arguments: JSON.parse((called as Call).arguments),
  }));
  return {
    id,
    text: message.content ?? '',
    calls,
    stopReason,
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    message: JSON.stringify(message),
  };
}

function write(answer: Answer): WrittenResponse {
  return { stream: writeStream(answer), whole: writeWhole(answer) };
}

function writeStream({ id, text = [], calls = [], finishReason, ...style }: Answer): string {
  const { piecesOf = inTwo, isAlternating = false } = style;
  const chunk = (choices: unknown[], more: object = { usage: null }) =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1763700000, model: 'gpt-test', choices, ...more })}\n\n`;
  const delta = (content: object, reason: string | null = null) =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason: reason }]);
  const deltasOf = calls.map(({ id: callId, name, arguments: text }, index) => [
    { index, id: callId, type: 'function', function: { name, arguments: '' } },
    ...piecesOf(text).map((piece) => ({ index, function: { arguments: piece } })),
  ]);
  const callDeltas = isAlternating ? inTurn(deltasOf) : deltasOf.flat();
  return [
    delta({ role: 'assistant', content: text.length > 0 ? '' : null, refusal: null }),
    ...text.map((content) => delta({ content })),
    ...callDeltas.map((call) => delta({ tool_calls: [call] })),
    delta({}, finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
    chunk([], { usage: USAGE }),
    'data: [DONE]\n\n',
  ].join('');
}

/** OpenAI sends pieces of a few characters. */
function inTwo(text: string): readonly string[] {
  return [text.slice(0, 5), text.slice(5)];
}

function inTurn<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

function writeWhole({ id, text, calls, finishReason }: Answer): string {
  const message = {
    role: 'assistant',
    content: text?.join('') ?? null,
    refusal: null,
    annotations: [],
    ...(calls && {
      tool_calls: calls.map(({ id: callId, name, arguments: text }) => ({
        id: callId,
        type: 'function',
        function: { name, arguments: text },
      })),
    }),
  };
  const reason = finishReason ?? (calls ? 'tool_calls' : 'stop');
  const choices = [{ index: 0, message, logprobs: null, finish_reason: reason }];
  const head = { id, object: 'chat.completion', created: 1763700000, model: 'gpt-test' };
  return JSON.stringify({ ...head, choices, usage: USAGE }, null, 2);
}
