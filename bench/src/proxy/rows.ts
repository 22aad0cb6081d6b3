import type { Requests } from './measure-window.ts';
import {
  type BenchFormat,
  bodyOfConversation,
  bodyWithTools,
  nextBody,
  numbered,
  requestBytes,
  smallBody,
} from './requests.ts';

/** A kind of request whose cost is compared with the pipe's. */
export interface CostRow {
  /** Its name for `--only`. */
  readonly name: string;
  readonly title: string;
  /** Smallest ratio of the pipe's processor time to the proxy's, by the number of connections; empty without a mark. */
  readonly marks: Readonly<Record<number, number>>;
  /** Settings of the proxy that are not the default, as environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Returns the requests to the proxy, or to the pipe. */
  readonly requests: (to: 'proxy' | 'pipe') => Requests;
  /** A request that comes before all others, once. */
  readonly opening?: () => Buffer;
  /** Decision that every exchange must have in the metrics: another one costs less or more. */
  readonly plan: 'not_read' | 'no_function_tools' | 'few_tokens' | 'deferred';
  /** Whether each response is a stream of 1,000 events, of which fewer are sent to warm up. */
  readonly isLong?: boolean;
}

const KIND = { answer: 'whole' } as const;

const small = () => requestBytes(smallBody(false), KIND);
const withTools = () => requestBytes(bodyWithTools(false, 1), KIND);

/** The kinds of requests of Chat Completions. */
export const COST_ROWS: readonly CostRow[] = [
  {
    name: 'off',
    title: '1 KB, rollout off',
    marks: { 1: 0.85, 16: 0.85 },
    settings: { PROXY_ROLLOUT_MODE: 'off' },
    requests: small,
    plan: 'not_read',
  },
  {
    name: 'no-tools',
    title: '1 KB without tools',
    marks: { 1: 0.85, 16: 0.85 },
    requests: small,
    plan: 'no_function_tools',
  },
  {
    name: 'left-alone',
    title: '200 tools left alone by the rule',
    marks: { 1: 0.75, 16: 0.75 },
    settings: { PROXY_TOOLS_MIN_DEFERRED_TOKENS: '10000000' },
    requests: withTools,
    plan: 'few_tokens',
  },
  {
    name: 'new',
    title: '200 tools deferred, a new conversation each',
    marks: { 1: 0.45, 16: 0.45 },
    requests: () => numbered(requestBytes(bodyOfConversation(false), KIND)),
    plan: 'deferred',
  },
  {
    name: 'next',
    title: '200 tools deferred, the next request of a conversation',
    marks: { 1: 0.8, 16: 0.85 },
    opening: withTools,
    requests: () => requestBytes(nextBody(), KIND),
    plan: 'deferred',
  },
  {
    name: 'stream',
    title: 'a stream of 1,000 events passed',
    marks: { 1: 0.8, 16: 0.8 },
    requests: () => requestBytes(smallBody(true), { answer: 'long' }),
    plan: 'no_function_tools',
    isLong: true,
  },
  {
    name: 'joined',
    title: 'a stream of 1,000 events after a search, 200 tools',
    marks: { 1: 0.6, 16: 0.6 },
    requests(to) {
      const body = bodyOfConversation(true);
      const answer = to === 'proxy' ? 'long-search' : 'long';
      return numbered(requestBytes(body, { answer, query: body.query }));
    },
    plan: 'deferred',
    isLong: true,
  },
];

/** The formats in which the cost of deferring is measured as well. */
const FORMATS: Readonly<Record<Exclude<BenchFormat, 'openai-chat'>, string>> = {
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  gemini: 'Gemini',
  'gemini-interactions': 'Gemini Interactions',
  'ollama-chat': 'Ollama',
  'bedrock-converse': 'Bedrock Converse',
  'anthropic-bedrock': 'Claude by InvokeModel',
};

/** The same request with 200 deferred tools in every other format. */
export const FORMAT_ROWS: readonly CostRow[] = Object.entries(FORMATS).map(([format, title]) => ({
  name: 'formats',
  title: `200 tools deferred, ${title}`,
  marks: {},
  requests: () => requestBytes(bodyWithTools(false, 1, format as BenchFormat), KIND),
  plan: 'deferred',
}));
