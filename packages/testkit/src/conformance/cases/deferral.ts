import type { ModelPlan, PlannedStep } from '../../model/model-plan.ts';
import { callTool, say } from '../../upstream/answer-parts.ts';
import type { JsonObject } from '../../upstream/json-object.ts';
import type { ConformanceCase, Conversation } from '../conformance-case.ts';
import type { FormatName } from '../formats/client-format.ts';
import { HIDDEN_MARK } from '../judge/check-conversation.ts';
import type { ReceivedRequest, WireAnswer } from '../wire/exchange.ts';
import { CANCELLATION } from './cancellation.ts';
import { ALSO_WANTED, TOOLS, WANTED } from './catalogue.ts';
import { ERRORS } from './errors.ts';
import { ALL, SSE } from './formats-of.ts';
import { STREAMS } from './streams.ts';
import { bodyOf, bytes, cutAt, eachSeen, request, respond, withSteps } from './write.ts';

/** The formats whose clients can demand a tool by its name. */
const WITH_CHOICE = ALL.filter((name) => name !== 'ollama-chat');

const SYSTEM = 'You are a helpful agent. '.repeat(400);

/** A step that searches for tools which the model cannot see, and then calls them. */
const find = (...names: string[]): PlannedStep => ({
  searchFor: names.map((name) => name.replaceAll('_', ' ')),
  thenCall: names.map((name) => ({
    name,
    input: name === WANTED.name ? { city: 'Köln' } : { amount: '12.50 €' },
  })),
});

function deferral(
  name: string,
  promise: string,
  plan: ModelPlan,
  more: Partial<Conversation> = {},
): ConformanceCase {
  return {
    id: `deferral/${name}`,
    promise,
    sources: ['anthropic-tool-search', 'openai-tool-search'],
    formats: ALL,
    play: {
      kind: 'conversation',
      conversation: () => ({
        open: { user: 'Do what is needed.', system: SYSTEM, tools: TOOLS },
        plan,
        checks: ['defers'],
        ...more,
      }),
    },
  };
}

/** Cases of other groups that hold for an agent whose tools are held back, too. */
const ALSO_WITH_TOOLS = [
  ...['words-in-time', 'split-bytes', 'crlf', 'no-final-blank-line', 'byte-order-mark', 'unknown-events'],
  ...['cut-off', 'cut-off-between-events'],
].map((name) => STREAMS.find(({ id }) => id === `streams/${name}`)!);
/** Gateways may add the event that must end a stream of Responses to a bare error. */
const ERROR_INSIDE = {
  ...STREAMS.find(({ id }) => id === 'streams/error-inside')!,
  formats: ALL.filter((name) => name !== 'openai-responses'),
};
const REFUSALS = ['401', '403', '429-retry-after', '429-no-retry', '500', '529'].map(
  (name) => ERRORS.find(({ id }) => id === `errors/${name}`)!,
);

const LEAVING = CANCELLATION.filter(({ id }) => !id.endsWith('sending'));

/** Returns the same case for a request with tools that a gateway holds back. */
function withTools({ id, promise, play, ...rest }: ConformanceCase): ConformanceCase {
  if (play.kind !== 'exchanges') throw new Error(`${id} is a conversation`);
  return {
    ...rest,
    id: `deferral/${id.replace('/', '-')}`,
    promise: `With tools that are held back: ${promise}`,
    play: { ...play, exchanges: (context) => play.exchanges({ ...context, tools: TOOLS }) },
  };
}

const ONE: ModelPlan = { turns: [{ steps: [find(WANTED.name)] }] };
const OPEN = { user: 'Do what is needed.', system: SYSTEM, tools: TOOLS };
const stream = { open: { ...OPEN, isStream: true } };

/** All requests of a conversation behind its first. */
const LATER = Array.from({ length: 20 }, (_, number) => number + 1);

/** A search whose words nothing but its own conversation may contain. */
const MARKED = { ...find(ALSO_WANTED.name), searchFor: [`convert currency amount ${HIDDEN_MARK}`] };

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

/** Tools that a gateway holds back stay callable, and nothing of that shows. */
export const DEFERRAL: readonly ConformanceCase[] = [
  deferral(
    'found',
    'A tool that was held back can be found and called; the client sees the call alone.',
    ONE,
  ),
  deferral('definitions', 'The model reads the whole definition of a tool before it calls it.', ONE, {
    checks: ['defers', 'whole-definitions'],
  }),
  deferral('found-stream', 'The same in a stream: one start, one end, nothing of the search.', ONE, stream),
  deferral('two-found', 'Two tools that were held back can be called at once.', {
    turns: [{ steps: [find(WANTED.name, ALSO_WANTED.name)] }],
  }),
  deferral('text-first', 'Text before a search and text after it reach the client in order.', {
    turns: [{ steps: [{ ...find(WANTED.name), say: 'Let me look. ' }], answer: 'It is sunny.' }],
  }),
  deferral('next-to-a-call', 'A search next to a call is hidden, and its tool is found.', {
    turns: [
      {
        steps: [
          { ...find(WANTED.name), searchBeside: ['convert currency amount'] },
          { thenCall: [{ name: ALSO_WANTED.name, input: { amount: '3 €' } }] },
        ],
      },
    ],
  }),
  deferral('nothing-found', 'A search that finds nothing ends in the answer of the model.', {
    turns: [
      {
        steps: [{ searchFor: ['launch rocket telemetry'], thenCall: [{ name: 'launch_rocket', input: {} }] }],
      },
    ],
  }),
  deferral('endless-searches', 'A model that goes on searching comes to its answer.', {
    turns: [{ steps: [{ ...find(WANTED.name), keepsSearching: 'always' }] }],
  }),
  {
    ...deferral(
      'chosen',
      'A tool that the client demands by name is called, held back or not.',
      { turns: [{ steps: [{ thenCall: [{ name: WANTED.name, input: { city: 'Ulm' } }] }] }] },
      {
        open: {
          user: 'Do what is needed.',
          system: SYSTEM,
          tools: TOOLS,
          choice: { name: WANTED.name },
        },
        checks: [],
      },
    ),
    formats: WITH_CHOICE,
  },
  deferral(
    'own-name',
    "A client's own tool works even if it is named like a tool of the gateway.",
    {
      searchToolName: 'search_of_no_gateway',
      turns: [{ steps: [{ thenCall: [{ name: 'gateway_search_tools', input: { query: 'x' } }] }] }],
    },
    {
      open: {
        user: 'Do what is needed.',
        system: SYSTEM,
        tools: [...TOOLS, { ...WANTED, name: 'gateway_search_tools' }],
      },
      checks: [],
    },
  ),
  deferral(
    'later-turn',
    'A tool that was found stays callable in later turns.',
    {
      turns: [
        { steps: [find(WANTED.name)] },
        { steps: [{ thenCall: [{ name: WANTED.name, input: { city: 'Bonn' } }] }] },
        { steps: [find(ALSO_WANTED.name)] },
      ],
    },
    { messages: ['And in Bonn?', 'How much is it in euros?'] },
  ),
  deferral(
    'no-call',
    'A conversation without a call is the same as without the gateway.',
    {
      turns: [{ answer: 'Hello! 👋' }, { answer: 'Good bye.' }],
    },
    { messages: ['Bye.'] },
  ),
  deferral('no-call-stream', 'The same in a stream.', { turns: [{ answer: 'Hello! 👋' }] }, stream),
  deferral(
    'thinking',
    'Thinking stays valid when tools are found between two turns.',
    {
      thinks: true,
      turns: [{ steps: [find(WANTED.name)] }, { steps: [find(ALSO_WANTED.name)] }],
    },
    {
      open: { user: 'Do what is needed.', system: SYSTEM, tools: TOOLS, thinks: true },
      messages: ['And in euros?'],
    },
  ),
  deferral(
    'constant-head',
    'Two conversations of one agent begin with the same prompt although tools are held back.',
    ONE,
    {
      checks: ['defers', 'constant-head'],
    },
  ),
  deferral(
    'refused',
    'A provider that refuses the changed request gets the original one; nothing is lost.',
    ONE,
    {
      checks: [],
      failing: { requests: [0], status: 400 },
    },
  ),
  deferral(
    'refused-later',
    'A provider that refuses what follows on a search gets the original request.',
    ONE,
    {
      checks: [],
      failing: { requests: [1], status: 400 },
    },
  ),
  deferral(
    'text-first-stream',
    'A stream with text, several searches and calls has one start, one end, and parts in order.',
    { turns: [{ steps: [{ ...find(WANTED.name, ALSO_WANTED.name), say: 'Let me look. ' }] }] },
    stream,
  ),
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
    'fails-with-names',
    'A provider whose error names the tools it was shown: the client learns nothing of those of the gateway.',
    ONE,
    { checks: [], failing: { requests: [0, ...LATER], status: 500, namesTools: true }, endsIn: 'status' },
  ),
  {
    ...deferral(
      'left',
      'A client that leaves while the provider is silent after a search ends it there; then its next request is as if nothing had been.',
      {
        turns: [{ steps: [find(WANTED.name)] }, { steps: [find(ALSO_WANTED.name)] }],
      },
      {
        messages: ['How much is it in euros?'],
        leaving: { turns: [{}, { steps: [MARKED] }] },
        checks: ['forgets-what-was-left'],
      },
    ),
  },
  deferral(
    'other-client',
    'A client with another credential that sends the same history gets nothing of what was hidden in it.',
    { turns: [{ steps: [MARKED] }, { answer: 'Good bye.' }] },
    { messages: ['Bye.'], checks: ['keeps-apart'] },
  ),
  ...[...ALSO_WITH_TOOLS, ERROR_INSIDE, ...REFUSALS, ...LEAVING].map(withTools),
];
