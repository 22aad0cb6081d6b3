import { sse } from '../../src/framing/sse.ts';
import { geminiInteractions } from '../../src/gemini-interactions/gemini-interactions.ts';
import { isOfModel } from '../../src/gemini-interactions/read-request.ts';
import { runsOf } from '../../src/turns/visible-form.ts';
import { type FormatFixtures, type RequestOptions, SEARCH } from '../format-fixtures.ts';
import { readInteractionStream, readWhole } from './read-interaction.ts';
import { call, output, thought, writeInteraction } from './write-interaction.ts';

const weather = call('wthr00001', 'weather_get', '{"city": "Zürich"}');
const mail = call('mail00001', 'mail_send', '{"to":"ada","urgency":1.0}');
const search = (id: string, query: string) => call(id, SEARCH, JSON.stringify({ query }));

/**
 * The fixtures of Interactions for the contract suite. Its requests are not stored, so every response has the
 * first round's id.
 */
export const interactionsFixtures: FormatFixtures = {
  format: geminiInteractions,
  framing: sse,
  path: '/v1beta/interactions',
  toolsKey: 'tools',
  writeTools: (entries) => `[${entries.join(',')}]`,
  toolNamesIn: ({ tools }) => (tools as { name: string }[]).map(({ name }) => name),
  historyIn: ({ input }) => groupTurns(input as unknown[]),
  withoutHistory: ({ input, ...body }) => body,
  otherShapes: ['{"input":7}', '{"input":{"role":"user"}}'],
  routes: [
    ['POST', '/v1beta/interactions', 'answer'],
    ['POST', '/v1/interactions', 'answer'],
    ['POST', '/gateway/v1beta1/projects/p/locations/global/interactions', 'answer'],
  ],
  otherRoutes: [
    ['GET', '/v1beta/interactions'],
    ['GET', '/v1beta/interactions/v1_a'],
    ['DELETE', '/v1beta/interactions/v1_a'],
    ['POST', '/v1beta/interactions/v1_a/cancel'],
    ['POST', '/v1beta/models/gemini-3-pro:generateContent'],
    ['POST', '/v1beta/agents'],
  ],
  ownChoices: ['"generation_config":{"seed":1,"tool_choice":"any"},', '"generation_config":{"seed":1},'],
  cutReason: 'incomplete',
  otherCutReasons: ['budget_exceeded', 'cancelled', 'requires_continuation'],
  usage: { inputTokens: 90, outputTokens: 24, cachedInputTokens: 64 },
  writeAnswer: ({ id, text, calls, piecesOf, isCut }) =>
    writeInteraction({
      id,
      steps: [
        ...(text === undefined ? [] : [output(text)]),
        ...calls.map((one) => call(one.id, one.name, one.arguments)),
      ],
      ...(isCut && { status: 'incomplete' }),
      piecesOf,
    }),
  answers: {
    text: writeInteraction({ id: 'v1_text', steps: [thought('sig_text'), output('Grüezi, 世界 👋')] }),
    call: writeInteraction({ id: 'v1_call', steps: [output('I look. '), weather] }),
    two_calls: writeInteraction({ id: 'v1_two', steps: [thought('sig_two'), weather, mail] }),
    search: writeInteraction({
      id: 'v1_search',
      steps: [thought('sig_s1', 'Hm.'), output('One moment. '), search('srch00001', 'weather')],
    }),
    two_searches: writeInteraction({
      id: 'v1_searches',
      steps: [search('srch00002', 'weather'), search('srch00003', 'mail')],
    }),
    search_beside_call: writeInteraction({
      id: 'v1_beside',
      steps: [thought('sig_beside'), search('srch00004', 'mail'), weather],
    }),
    call_beside_search: writeInteraction({ id: 'v1_before', steps: [weather, search('srch00005', 'mail')] }),
    malformed_search: writeInteraction({
      id: 'v1_malformed',
      steps: [call('srch00006', SEARCH, '{"query": oh')],
    }),
    cut_search: writeInteraction({
      id: 'v1_cut',
      steps: [output('I look. '), call('srch00007', SEARCH, '{"query": "wea')],
      status: 'incomplete',
    }),
  },
  writeStreamError: (message) => {
    const data = JSON.stringify({ error: { message, code: 'gateway_timeout' }, event_type: 'error' });
    return `event: error\ndata: ${data}\n\n`;
  },
  writeTool: (name, description) =>
    `{"type":"function","name":"${name}","description":${JSON.stringify(description)},"parameters":{"type":"object"}}`,
  writeRequest,
  writeUserMessage: (text) => JSON.stringify({ type: 'user_input', content: [{ type: 'text', text }] }),
  goOn: ({ message: steps, calls }) => {
    const results = calls.map(({ id, name }) => ({
      type: 'function_result',
      call_id: id,
      name,
      result: 'Done.',
    }));
    const next =
      results.length > 0 ? results : [{ type: 'user_input', content: [{ type: 'text', text: 'And now?' }] }];
    return [steps, ...next.map((step) => JSON.stringify(step))];
  },
  readStream: readInteractionStream,
  readWhole,
};

function writeRequest({ isStream, tools, firstMembers = '', messages = [] }: RequestOptions): string {
  return (
    `{${firstMembers}"model":"gemini-3-pro","stream":${isStream},"store":false,` +
    `"tools":[${tools.join(',')}],"input":[${messages.join(',')}]}`
  );
}

/** Returns the steps of one turn as one element, because a turn's message is a list of them. */
function groupTurns(input: readonly unknown[]): unknown[] {
  const runs = runsOf(input, isOfModel);
  const inRun = new Set(runs.flatMap(({ start, items }) => items.map((_, at) => start + at)));
  return input.flatMap((step, at) => {
    const run = runs.find(({ start }) => start === at);
    if (run) return [run.items];
    return inRun.has(at) ? [] : [step];
  });
}
