import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { sse } from '../../src/framing/sse.ts';
import { type FormatFixtures, SEARCH } from '../format-fixtures.ts';
import { parsedOrEmpty } from '../parsed-or-empty.ts';
import { readStream, readWhole } from './read-answer.ts';
import { type Block, writeResponse } from './write-response.ts';

const text = (words: string): Block => ({ type: 'text', text: words });
const thinking: Block = { type: 'thinking', thinking: 'Where is it? 🤔', signature: 'EqQBCgIYAhIk+/==' };
const call = (id: string, name: string, input: unknown): Block => ({ type: 'tool_use', id, name, input });
const search = (id: string, query: string): Block => call(id, SEARCH, { query });
const weather = call('toolu_weather', 'weather_get', { city: 'Zürich' });
const mail = call('toolu_mail', 'mail_send', { to: 'a@example.org' });

/** The fixtures of Messages for the contract suite. */
export const messagesFixtures: FormatFixtures = {
  format: anthropicMessages,
  framing: sse,
  path: '/v1/messages',
  toolsKey: 'tools',
  writeTools: (entries) => `[${entries.join(',')}]`,
  toolNamesIn: ({ tools }) => (tools as { name: string }[]).map(({ name }) => name),
  historyIn: ({ messages }) => messages as unknown[],
  withoutHistory: ({ messages, ...body }) => body,
  otherShapes: ['{"messages":"hello"}', '{"contents":[]}'],
  routes: [
    ['POST', '/v1/messages', 'answer'],
    ['POST', '/anthropic/v1/messages', 'answer'],
    ['POST', '/v1/messages/count_tokens', 'count_tokens'],
    [
      'POST',
      '/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict',
      'answer',
    ],
    [
      'POST',
      '/v1/projects/p/locations/global/publishers/anthropic/models/claude-opus-4-6:streamRawPredict',
      'answer',
    ],
    [
      'POST',
      '/v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict',
      'count_tokens',
    ],
  ],
  otherRoutes: [
    ['GET', '/v1/messages'],
    ['POST', '/v1/messages/batches'],
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1/threads/thread_1/messages'],
    ['POST', '/v1/complete'],
    ['POST', '/v1/projects/p/locations/l/publishers/mistralai/models/m:rawPredict'],
    ['POST', '/v1/projects/p/locations/l/publishers/anthropic/models/m:predict'],
    ['GET', '/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict'],
  ],
  ownChoices: ['"tool_choice":{"type":"any"},'],
  cutReason: 'max_tokens',
  otherCutReasons: ['model_context_window_exceeded', 'stop_sequence', 'refusal', 'pause_turn'],
  usage: { inputTokens: 120, outputTokens: 7, cachedInputTokens: 100 },
  answers: {
    text: writeResponse({ id: 'msg_text', content: [text('Grüezi, 世界 👋')], stopReason: 'end_turn' }),
    call: writeResponse({ id: 'msg_call', content: [text('I look. '), weather], stopReason: 'tool_use' }),
    two_calls: writeResponse({ id: 'msg_two', content: [thinking, weather, mail], stopReason: 'tool_use' }),
    search: writeResponse({
      id: 'msg_search',
      content: [thinking, text('One moment. '), search('toolu_search', 'weather')],
      stopReason: 'tool_use',
    }),
    two_searches: writeResponse({
      id: 'msg_searches',
      content: [search('toolu_search_1', 'weather'), search('toolu_search_2', 'mail')],
      stopReason: 'tool_use',
    }),
    search_beside_call: writeResponse({
      id: 'msg_beside',
      content: [thinking, search('toolu_beside', 'mail'), weather],
      stopReason: 'tool_use',
    }),
    call_beside_search: writeResponse({
      id: 'msg_before',
      content: [weather, search('toolu_before', 'mail')],
      stopReason: 'tool_use',
    }),
    malformed_search: writeResponse({
      id: 'msg_malformed',
      content: [{ ...call('toolu_malformed', SEARCH, {}), partialInput: '{"query": oh' }],
      stopReason: 'tool_use',
    }),
    cut_search: writeResponse({
      id: 'msg_cut',
      content: [text('I look. '), { ...call('toolu_cut', SEARCH, {}), partialInput: '{"query": "wea' }],
      stopReason: 'max_tokens',
    }),
  },
  writeAnswer: ({ id, text: words, calls, piecesOf, isCut }) =>
    writeResponse({
      id,
      content: [
        ...(words === undefined ? [] : [text(words)]),
        ...calls.map(({ id: callId, name, arguments: given }) => ({
          ...call(callId, name, parsedOrEmpty(given)),
          partialInput: given,
        })),
      ],
      stopReason: isCut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn',
      piecesOf,
    }),
  writeStreamError: (message) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message } })}\n\n`,
  writeTool: (name, description) =>
    `{"name":"${name}","description":${JSON.stringify(description)},"input_schema":{"type":"object"}}`,
  writeRequest: ({ isStream, tools, firstMembers = '', messages = [userMessage('Hello?')] }) =>
    `{${firstMembers}"model":"claude-opus-4-6","max_tokens":100,"stream":${isStream},` +
    `"tools":[${tools.join(',')}],"messages":[${messages.join(',')}]}`,
  writeUserMessage: userMessage,
  goOn: ({ message, calls }) => {
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }));
    const next =
      results.length > 0 ? JSON.stringify({ role: 'user', content: results }) : userMessage('And now?');
    return [message, next];
  },
  readStream,
  readWhole,
};

function userMessage(words: string): string {
  return JSON.stringify({ role: 'user', content: words });
}
