import { CHAT_DIALECTS, type ChatDialect, type ModelPlan, type PlannedStep } from '@winnow/testkit';
import type { ConformanceCase, Conversation } from '../conformance-case.ts';
import { CANCELLATION } from './cancellation.ts';
import { ALSO_WANTED, TOOLS, WANTED } from './catalogue.ts';
import { ERRORS } from './errors.ts';
import { ALL } from './formats-of.ts';
import { STREAMS } from './streams.ts';
import { TRANSFERS } from './transfers.ts';

/** The formats whose clients can demand a tool by its name. */
const WITH_CHOICE = ALL.filter((name) => name !== 'ollama-chat');

const SYSTEM = 'You are a helpful agent. '.repeat(400);

/** A step that searches for tools which the model cannot see, and then calls them. */
export const find = (...names: string[]): PlannedStep => ({
  searchFor: names.map((name) => name.replaceAll('_', ' ')),
  thenCall: names.map((name) => ({
    name,
    input: name === WANTED.name ? { city: 'Köln' } : { amount: '12.50 €' },
  })),
});

/** A case about a conversation of an agent with many tools. */
export function deferral(
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

const AT_ONCE = TRANSFERS.filter(({ id }) => id === 'limits/streams-at-once');

/** Returns the same case for a request with tools that a gateway holds back. */
function withTools({ id, promise, play, ...rest }: ConformanceCase): ConformanceCase {
  if (play.kind !== 'exchanges') throw new Error(`${id} is a conversation`);
  return {
    ...rest,
    id: `deferral/${id.replace('/', '-')}`,
    promise: `With tools that are held back: ${promise}`,
    play: {
      ...play,
      // The gateway may change tools.
      judges: play.judges.filter((aspect) => aspect !== 'request-meaning'),
      exchanges: (context) => play.exchanges({ ...context, tools: TOOLS }),
    },
  };
}

/** A search, and the call of the tool that it finds. */
export const ONE: ModelPlan = { turns: [{ steps: [find(WANTED.name)] }] };
const OPEN = { user: 'Do what is needed.', system: SYSTEM, tools: TOOLS };
/** The same, streamed. */
export const stream = { open: { ...OPEN, isStream: true } };

/** The reasoning of each server that speaks Chat Completions, which refuses what the real one refuses. */
const DIALECTS = (Object.keys(CHAT_DIALECTS) as ChatDialect[]).map(
  (chatDialect): ConformanceCase => ({
    ...deferral(
      `dialect-${chatDialect.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`,
      `A server that speaks the Chat Completions of ${chatDialect} takes its reasoning back after a search.`,
      { thinks: true, turns: [{ steps: [find(WANTED.name)] }, { steps: [find(ALSO_WANTED.name)] }] },
      { chatDialect, messages: ['And in euros?'] },
    ),
    sources: ['openrouter-reasoning', 'groq-strict', 'mistral-strict'],
    formats: ['openai-chat'],
  }),
);

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
  ...DIALECTS,
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
  ...[...ALSO_WITH_TOOLS, ERROR_INSIDE, ...REFUSALS, ...LEAVING, ...AT_ONCE].map(withTools),
];
