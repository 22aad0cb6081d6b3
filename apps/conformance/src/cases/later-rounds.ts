import { callTool, type JsonObject, say } from '@winnow/testkit';
import type { ConformanceCase } from '../conformance-case.ts';
import type { FormatName } from '../formats/client-format.ts';
import { HIDDEN_MARK } from '../judge/check-conversation.ts';
import type { ReceivedRequest, WireAnswer } from '../wire/exchange.ts';
import { ALSO_WANTED, TOOLS, WANTED } from './catalogue.ts';
import { deferral, find, ONE, stream } from './deferral.ts';
import { ALL, SSE } from './formats-of.ts';
import { bodyOf, bytes, cutAt, eachSeen, request, respond, withSteps } from './write.ts';

/** All requests of a conversation behind its first. */
const LATER = Array.from({ length: 20 }, (_, number) => number + 1);

/** A search whose words nothing but its own conversation may contain. */
const MARKED = { ...find(ALSO_WANTED.name), searchFor: [`convert currency amount ${HIDDEN_MARK}`] };

/** Arguments that are lost where a call is wrapped into the text of another one. */
const ODD_INPUT: JsonObject = {
  city: '"Köln"\\n\n\t{"a":[1]} </script> \u2028 🌍',
  exact: 1.5,
  none: null,
  list: [1, 'two', {}, []],
  nested: { name: 'x', arguments: { query: '' } },
};

/** Members of a request that a gateway may take for defaults, by format. */
const SETTINGS: Readonly<Record<FormatName, JsonObject>> = {
  'openai-chat': { temperature: 0, seed: 0, user: 'u-1', metadata: { team: 'a', empty: '' } },
  'openai-responses': { temperature: 0, metadata: { team: 'a', empty: '' }, parallel_tool_calls: true },
  'anthropic-messages': { temperature: 0, top_k: 0, metadata: { user_id: 'u-1' } },
  gemini: { generationConfig: { temperature: 0, seed: 0 }, safetySettings: [] },
  'gemini-interactions': { generation_config: { temperature: 0, seed: 0 } },
  'ollama-chat': { options: { temperature: 0, num_ctx: 131_072 }, keep_alive: 0 },
  'bedrock-converse': {
    inferenceConfig: { maxTokens: 4_096, temperature: 0 },
    requestMetadata: { team: 'a' },
  },
  'bedrock-invoke': { temperature: 0, top_k: 0 },
};

/** Changes the text of a stream between its events. */
const rewritten =
  (change: (text: string) => string) =>
  (answer: WireAnswer): WireAnswer => ({
    ...answer,
    steps: bytes(change(bodyOf(answer).toString('utf8'))).steps,
  });

/** Breaks off in the middle. */
function broken(answer: WireAnswer): WireAnswer {
  const body = bodyOf(answer);
  const piece = body.subarray(0, body.length >> 1);
  return {
    ...answer,
    steps: [{ type: 'bytes', bytes: piece }, { type: 'silence', ms: 20 }, { type: 'break' }],
  };
}

/** Ways in which a stream with a search may arrive. */
const DELIVERIES: Readonly<
  Record<string, readonly [how: string, deliver: (answer: WireAnswer) => WireAnswer, FormatName[]]>
> = {
  bytes: ['that arrives byte by byte', (answer) => cutAt(answer, [...bodyOf(answer).keys()]), [...ALL]],
  crlf: ['whose lines end in CR LF', rewritten((text) => text.replaceAll('\n', '\r\n')), [...SSE]],
  comments: [
    'with comments between its events',
    rewritten((text) => text.replaceAll('\n\n', '\n\n: still here\n\n')),
    [...SSE],
  ],
  pings: [
    'with pings between its events',
    rewritten((text) => text.replaceAll('\n\n', '\n\nevent: ping\ndata: {"type":"ping"}\n\n')),
    ['anthropic-messages'],
  ],
  'no-final-blank-line': [
    'whose last event has no blank line',
    rewritten((text) => text.replace(/\n+$/, '\n')),
    [...SSE],
  ],
};

/** Cases behind a search: deliveries, settings, counts, failures, clients that leave, and other clients. */
export const LATER_ROUNDS: readonly ConformanceCase[] = [
  deferral(
    'text-first-stream',
    'A stream with text, several searches and calls has one start, one end, and parts in order.',
    { turns: [{ steps: [{ ...find(WANTED.name, ALSO_WANTED.name), say: 'Let me look. ' }] }] },
    stream,
  ),
  {
    ...deferral(
      'text-between-stream',
      'Text, a search, and what follows are one stream: one start, one end, parts in order.',
      { ...ONE, narratesSearches: true },
      {
        ...stream,
        directPlan: {
          turns: [{ steps: [{ ...find(WANTED.name), say: 'Looking for get weather forecast.' }] }],
        },
      },
    ),
    // Interactions has a thought of its own for each signature, which changes positions.
    formats: ALL.filter((name) => name !== 'gemini-interactions'),
  },
  ...Object.entries(DELIVERIES).map(([name, [how, delivery, formats]]) => ({
    ...deferral(`found-${name}`, `A tool is found in a stream ${how}.`, ONE, { ...stream, delivery }),
    formats,
  })),
  {
    id: 'deferral/found-in-time',
    promise: 'Text reaches the client while the model is still writing its search.',
    sources: ['unity-gateway-buffering', 'html-sse'],
    formats: ALL.filter((name) => name !== 'ollama-chat'),
    play: {
      kind: 'exchanges',
      judges: ['status', 'timing', 'end'],
      exchanges: (context) => {
        const usual = request({ ...context, tools: TOOLS }, { isStream: true });
        let rounds = 0;
        const answer = async (asked: ReceivedRequest): Promise<WireAnswer> => {
          rounds += 1;
          const { path, headers } = asked;
          const seen = { ...usual, path, headers, body: [asked.body] };
          if (rounds > 1) return respond(context, seen, [say('It is sunny.')]);
          const search = callTool('gateway_search_tools', ['{"query":', '"weather ', 'forecast"}']);
          const isOffered = asked.body.includes('gateway_search_tools');
          return withSteps(respond(context, seen, [say('word-0 '), isOffered ? search : say('.')]), (steps) =>
            eachSeen(steps).filter((step) => step.type !== 'seen' || step.text !== undefined),
          );
        };
        return [{ request: usual, answer }];
      },
    },
  },
  deferral(
    'settings',
    'The settings and the headers of a client go with every request of the gateway.',
    ONE,
    {
      headers: [
        ['x-kept', 'as it is'],
        ['x-stainless-lang', 'js'],
      ],
      members: SETTINGS,
      checks: ['defers', 'keeps-settings'],
    },
  ),
  deferral('arguments', 'The arguments of a call keep quotes, escapes, lines, numbers and nulls.', {
    turns: [
      {
        steps: [
          {
            searchFor: ['get weather forecast'],
            thenCall: [{ name: WANTED.name, input: ODD_INPUT }],
          },
        ],
      },
    ],
  }),
  deferral('required', 'A client that demands a call gets one, though its tool has to be found first.', ONE, {
    open: { ...stream.open, isStream: false, choice: 'required' },
    checks: [],
  }),
  deferral('tokens', 'The client is told of the tokens that were used, searches included or not.', ONE, {
    checks: ['defers', 'counts-tokens'],
  }),
  deferral(
    'fails-later',
    'A provider that fails after a search: the client gets its status and its words.',
    ONE,
    {
      checks: [],
      failing: { requests: LATER, status: 503 },
      endsIn: 'refusal',
    },
  ),
  deferral(
    'fails-later-stream',
    'A provider that fails after a search in a stream whose client has seen text: it gets an error, and no end.',
    { ...ONE, narratesSearches: true },
    { ...stream, checks: [], failing: { requests: LATER, status: 503 }, endsIn: 'error' },
  ),
  deferral(
    'fails-before-text',
    'A provider that fails after a search in a stream that shows nothing yet: the client gets its words.',
    ONE,
    { ...stream, checks: [], failing: { requests: LATER, status: 503 }, endsIn: 'error' },
  ),
  {
    ...deferral(
      'resets-later',
      'A provider that closes the connection after a search: the client gets status 502.',
      ONE,
      { checks: [], failing: { requests: LATER, status: 502, isReset: true }, endsIn: 'status' },
    ),
    sources: ['rfc9110-502'],
    isSlow: true,
  },
  {
    ...deferral(
      'breaks-off-later',
      'A response after a search that breaks off behind its first words never looks complete.',
      { ...ONE, narratesSearches: true },
      {
        ...stream,
        checks: [],
        delivery: (answer, number) => (number === 0 ? answer : broken(answer)),
        endsIn: 'break',
      },
    ),
    isSlow: true,
  },
  deferral(
    'fails-with-names',
    'A provider whose error names the tools it was shown: the client learns nothing of those of the gateway.',
    ONE,
    { checks: [], failing: { requests: [0, ...LATER], status: 500, namesTools: true }, endsIn: 'status' },
  ),
  deferral(
    'left',
    'A client that leaves while the provider is silent after a search ends it there, and may ask again.',
    { turns: [{ steps: [find(WANTED.name)] }, { steps: [find(ALSO_WANTED.name)] }] },
    {
      messages: ['How much is it in euros?'],
      leaving: { turns: [{}, { steps: [MARKED] }] },
      checks: ['forgets-what-was-left'],
    },
  ),
  deferral('left-stream', 'The same in a stream, after text.', ONE, {
    ...stream,
    leaving: { turns: [{ steps: [MARKED] }], narratesSearches: true },
    checks: ['forgets-what-was-left'],
  }),
  deferral(
    'other-client',
    'A client with another credential that sends the same history gets nothing of what was hidden in it.',
    { turns: [{ steps: [MARKED] }, { answer: 'Good bye.' }] },
    { messages: ['Bye.'], checks: ['keeps-apart'] },
  ),
];
