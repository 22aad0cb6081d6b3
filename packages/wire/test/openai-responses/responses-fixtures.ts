import { sse } from '../../src/framing/sse.ts';
import { openaiResponses } from '../../src/openai-responses/openai-responses.ts';
import { isOfModel } from '../../src/openai-responses/read-request.ts';
import { runsOf } from '../../src/turns/visible-form.ts';
import { type FormatFixtures, type RequestOptions, SEARCH } from '../format-fixtures.ts';
import { readResponsesStream, readWhole } from './read-responses-stream.ts';
import { call, message, reasoning, writeResponse } from './write-response.ts';

const weather = call('fc_weather_0001', 'weather_get', '{"city": "Zürich"}');
const mail = call('fc_mail_000001', 'mail_send', '{"to":"ada","urgency":1.0}');
const search = (id: string, query: string) => call(id, SEARCH, JSON.stringify({ query }));

/**
 * The fixtures of Responses for the contract suite. Its requests are not stored, so every response has the
 * first round's id.
 */
export const responsesFixtures: FormatFixtures = {
  format: openaiResponses,
  framing: sse,
  path: '/v1/responses',
  toolsKey: 'tools',
  writeTools: (entries) => `[${entries.join(',')}]`,
  toolNamesIn: ({ tools }) => (tools as { name: string }[]).map(({ name }) => name),
  historyIn: ({ input }) => groupTurns(input as unknown[]),
  withoutHistory: ({ input, ...body }) => body,
  otherShapes: ['{"input":7}', '{"messages":[]}'],
  routes: [
    ['POST', '/v1/responses', 'answer'],
    ['POST', '/openai/v1/responses', 'answer'],
    ['POST', '/openai/responses', 'answer'],
    ['POST', '/v1/responses/input_tokens', 'count_tokens'],
  ],
  otherRoutes: [
    ['GET', '/v1/responses/resp_1'],
    ['DELETE', '/v1/responses/resp_1'],
    ['POST', '/v1/responses/resp_1/cancel'],
    ['GET', '/v1/responses/resp_1/input_items'],
    ['POST', '/v1/responses/compact'],
    ['POST', '/v1/conversations'],
    ['POST', '/v1/chat/completions'],
  ],
  ownChoices: ['"tool_choice":{"type":"function","name":"file_read"},'],
  cutReason: 'max_output_tokens',
  otherCutReasons: ['content_filter', 'steered'],
  usage: { inputTokens: 90, outputTokens: 12, cachedInputTokens: 64 },
  keepsArguments: true,
  writeAnswer: ({ id, text, calls, piecesOf, isCut }) =>
    writeResponse({
      id,
      output: [
        ...(text === undefined ? [] : [message(`msg_${id}`, text)]),
        ...calls.map((one) => call(one.id.replace('call_', 'fc_'), one.name, one.arguments)),
      ],
      ...(isCut && { incomplete: 'max_output_tokens' }),
      piecesOf,
    }),
  answers: {
    text: writeResponse({ id: 'resp_text', output: [message('msg_text', 'Grüezi, 世界 👋')] }),
    call: writeResponse({ id: 'resp_call', output: [message('msg_call', 'I look. '), weather] }),
    two_calls: writeResponse({ id: 'resp_two', output: [reasoning('rs_two'), weather, mail] }),
    search: writeResponse({
      id: 'resp_search',
      output: [reasoning('rs_s1'), message('msg_s1', 'One moment. '), search('fc_search_00001', 'weather')],
    }),
    two_searches: writeResponse({
      id: 'resp_searches',
      output: [search('fc_search_00002', 'weather'), search('fc_search_00003', 'mail')],
    }),
    search_beside_call: writeResponse({
      id: 'resp_beside',
      output: [reasoning('rs_beside'), search('fc_search_00004', 'mail'), weather],
    }),
    call_beside_search: writeResponse({
      id: 'resp_before',
      output: [weather, search('fc_search_00005', 'mail')],
    }),
    malformed_search: writeResponse({
      id: 'resp_malformed',
      output: [call('fc_search_00006', SEARCH, '{"query": oh')],
    }),
    cut_search: writeResponse({
      id: 'resp_cut',
      output: [message('msg_cut', 'I look. '), call('fc_search_00007', SEARCH, '{"query": "wea')],
      incomplete: 'max_output_tokens',
    }),
  },
  // Without an id and a number, the joined stream changes nothing.
  writeStreamError: (text) => {
    const error = { code: 'server_error', message: text };
    const data = JSON.stringify({
      type: 'response.failed',
      response: { status: 'failed', error, output: [] },
    });
    return `event: response.failed\ndata: ${data}\n\n`;
  },
  writeTool: (name, description) =>
    `{"type":"function","name":"${name}","description":${JSON.stringify(description)},"parameters":{"type":"object"}}`,
  writeRequest,
  writeUserMessage: (content) => JSON.stringify({ role: 'user', content }),
  goOn: ({ message: items, calls }) => {
    const results = calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: 'Done.' }));
    const next = results.length > 0 ? results : [{ role: 'user', content: 'And now?' }];
    return [items, ...next.map((item) => JSON.stringify(item))];
  },
  readStream: readResponsesStream,
  readWhole,
};

function writeRequest({ isStream, tools, firstMembers = '', messages = [] }: RequestOptions): string {
  return (
    `{${firstMembers}"model":"gpt-4.1","stream":${isStream},"store":false,` +
    `"tools":[${tools.join(',')}],"input":[${messages.join(',')}]}`
  );
}

/** Returns the items of one turn as one element, because a turn's message is a list of them. */
function groupTurns(input: readonly unknown[]): unknown[] {
  const runs = runsOf(input, isOfModel);
  const inRun = new Set(runs.flatMap(({ start, items }) => items.map((_, at) => start + at)));
  return input.flatMap((item, at) => {
    const run = runs.find(({ start }) => start === at);
    if (run) return [run.items];
    return inRun.has(at) ? [] : [item];
  });
}
