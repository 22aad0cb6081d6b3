import { ndjson } from '../../src/framing/ndjson.ts';
import { ollamaChat } from '../../src/ollama-chat/ollama-chat.ts';
import {
  type FormatFixtures,
  type RequestOptions,
  SEARCH,
  type WrittenResponse,
} from '../format-fixtures.ts';
import { parsedOrEmpty } from '../parsed-or-empty.ts';
import { readOllamaStream, readOllamaWhole } from './read-ollama-stream.ts';

/** A call as the server writes it: `id` since version 0.13, and the number among the calls of its message. */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

interface Answer {
  readonly text?: readonly string[];
  readonly thinking?: readonly string[];
  readonly calls?: readonly Call[];
  readonly doneReason?: string;
}

const WEATHER_CALL = { id: 'call_weather0001', name: 'weather_get', arguments: { city: 'Zürich' } };
const MAIL_CALL = { id: 'call_mailsend001', name: 'mail_send', arguments: { to: 'ada', urgency: 1 } };
const weatherSearch = (id: string) => ({ id, name: SEARCH, arguments: { query: 'weather' } });
const mailSearch = (id: string) => ({ id, name: SEARCH, arguments: { query: ' mail ' } });

const COUNTS = {
  total_duration: 5_000_000_000,
  load_duration: 1_000_000_000,
  prompt_eval_count: 100,
  prompt_eval_duration: 2_000_000_000,
  eval_count: 10,
  eval_duration: 2_000_000_000,
};

/** The fixtures of Ollama's API for the contract suite. */
export const ollamaFixtures: FormatFixtures = {
  format: ollamaChat,
  framing: ndjson,
  path: '/api/chat',
  toolsKey: 'tools',
  writeTools: (entries) => `[${entries.join(',')}]`,
  toolNamesIn: ({ tools }) =>
    (tools as { function: { name: string } }[]).map(({ function: { name } }) => name),
  historyIn: ({ messages }) => messages as unknown[],
  withoutHistory: ({ messages, ...body }) => body,
  otherShapes: ['{"messages":"hello"}', '{"model":"m","prompt":"hello"}'],
  routes: [
    ['POST', '/api/chat', 'answer'],
    ['POST', '/ollama/api/chat', 'answer'],
  ],
  otherRoutes: [
    ['GET', '/api/chat'],
    ['POST', '/api/generate'],
    ['POST', '/api/chat/completions'],
    ['POST', '/v1/chat/completions'],
    ['POST', '/api/show'],
    ['GET', '/api/tags'],
  ],
  hasWholeCalls: true,
  cannotForbidCalls: true,
  cutReason: 'length',
  otherCutReasons: [],
  usage: { inputTokens: 100, outputTokens: 10 },
  answers: {
    text: write({ text: ['Grüezi', ', 世界', ' 👋'] }),
    call: write({ text: ['I ask.'], calls: [WEATHER_CALL] }),
    two_calls: write({ thinking: ['Both', ' then.'], calls: [WEATHER_CALL, MAIL_CALL] }),
    search: write({
      thinking: ['Where', ' is it?'],
      text: ['Let me ', 'look. '],
      calls: [weatherSearch('call_search0001')],
    }),
    two_searches: write({ calls: [weatherSearch('call_search0002'), mailSearch('call_search0003')] }),
    search_beside_call: write({ calls: [mailSearch('call_search0004'), WEATHER_CALL] }),
    call_beside_search: write({ calls: [WEATHER_CALL, mailSearch('call_search0005')] }),
    malformed_search: write({
      calls: [{ id: 'call_search0006', name: SEARCH, arguments: '{"query": wea' }],
    }),
    cut_search: write({
      text: ['I look.'],
      calls: [{ id: 'call_search0007', name: SEARCH, arguments: { query: 'wea' } }],
      doneReason: 'length',
    }),
  },
  writeAnswer: ({ text, calls, isCut }) =>
    write({
      ...(text !== undefined && { text: [text] }),
      calls: calls.map((call) => ({ ...call, arguments: parsedOrEmpty(call.arguments) })),
      ...(isCut && { doneReason: 'length' }),
    }),
  writeStreamError: (message) => `${JSON.stringify({ error: message })}\n`,
  writeTool: (name, description) =>
    `{"type":"function","function":{"name":"${name}","description":"${description}","parameters":{"type":"object"}}}`,
  writeRequest,
  writeUserMessage: (content) => JSON.stringify({ role: 'user', content }),
  goOn: ({ message, calls }) =>
    calls.length === 0
      ? [message, '{"role":"user","content":"Go on."}']
      : [
          message,
          ...calls.map(({ name }) => JSON.stringify({ role: 'tool', tool_name: name, content: 'Done.' })),
        ],
  readStream: readOllamaStream,
  readWhole: readOllamaWhole,
};

function writeRequest({ isStream, tools, firstMembers = '', messages = [] }: RequestOptions): string {
  // A response is a stream by default.
  const stream = isStream ? '' : '"stream":false,';
  const listed = tools.length === 0 ? '' : `,"tools":[${tools.join(',')}]`;
  return `{${firstMembers}"model":"llama-test",${stream}"messages":[${messages.join(',')}]${listed}}`;
}

function write(answer: Answer): WrittenResponse {
  return { stream: writeStream(answer), whole: writeWhole(answer) };
}

function writeLine(message: object, more: object = { done: false }): string {
  const head = { model: 'llama-test', created_at: '2026-11-22T09:00:00.123456Z' };
  return `${JSON.stringify({ ...head, message: { role: 'assistant', content: '', ...message }, ...more })}\n`;
}

/** Each call has its own line. */
function writeStream({ text = [], thinking = [], calls = [], doneReason = 'stop' }: Answer): string {
  return [
    ...thinking.map((thought) => writeLine({ thinking: thought })),
    ...text.map((content) => writeLine({ content })),
    ...calls.map((call, index) => writeLine({ tool_calls: [writeCall(call, index)] })),
    writeLine({}, { done: true, done_reason: doneReason, ...COUNTS }),
  ].join('');
}

function writeWhole({ text = [], thinking = [], calls = [], doneReason = 'stop' }: Answer): string {
  const message = {
    content: text.join(''),
    ...(thinking.length > 0 && { thinking: thinking.join('') }),
    ...(calls.length > 0 && { tool_calls: calls.map(writeCall) }),
  };
  return writeLine(message, { done: true, done_reason: doneReason, ...COUNTS });
}

function writeCall({ id, name, arguments: given }: Call, index: number): object {
  return { id, function: { index, name, arguments: given } };
}
