import {
  type BenchBody,
  type BenchFormat,
  bodyOfConversation,
  bodyWithTools,
  smallBody,
} from './requests.ts';
import type { ProxyOptions } from './start-proxy.ts';

/** Setups of a proxy whose cost per request is measured. */
export const FORWARDING_WAYS = ['passthrough', 'off', 'tool-search', 'api'] as const;

/** One of {@link FORWARDING_WAYS}. */
export type ForwardingWay = (typeof FORWARDING_WAYS)[number];

/** Identical requests, or those of one conversation after another, and the ways to send them. */
export interface Load {
  readonly name:
    | 'small'
    | 'tools'
    | 'openings'
    | 'responses'
    | 'messages'
    | 'gemini'
    | 'interactions'
    | 'ollama'
    | 'converse'
    | 'invoke';
  readonly title: string;
  readonly format: BenchFormat;
  readonly ways: readonly ForwardingWay[];
  readonly body: (isStream: boolean) => BenchBody;
  /** Whether each request begins a conversation of its own. */
  readonly isNew?: boolean;
}

/** 200 deferred tools. The list is the same in every request, like an agent's. */
export const TOOLS_LOAD: Load = {
  name: 'tools',
  title: '200 tools (140 KB) deferred',
  format: 'openai-chat',
  ways: ['tool-search', 'api'],
  body: (isStream) => bodyWithTools(isStream, 1),
};

/** The same request in another format. */
function toolsLoad(name: Load['name'], title: string, format: BenchFormat): Load {
  return {
    name,
    title: `${TOOLS_LOAD.title}, ${title}`,
    format,
    ways: ['tool-search'],
    body: (isStream) => bodyWithTools(isStream, 1, format),
  };
}

/** A small request that is not altered, and requests with tools. */
export const LOADS: readonly Load[] = [
  { name: 'small', title: '1 KB', format: 'openai-chat', ways: ['passthrough', 'off'], body: smallBody },
  TOOLS_LOAD,
  {
    name: 'openings',
    title: '200 known tools, each request a new conversation of 800 characters',
    format: 'openai-chat',
    ways: ['tool-search'],
    body: (isStream) => bodyOfConversation(isStream),
    isNew: true,
  },
  toolsLoad('responses', 'OpenAI Responses', 'openai-responses'),
  toolsLoad('messages', 'Anthropic Messages', 'anthropic-messages'),
  toolsLoad('gemini', 'Gemini', 'gemini'),
  toolsLoad('interactions', 'Gemini Interactions', 'gemini-interactions'),
  toolsLoad('ollama', 'Ollama', 'ollama-chat'),
  toolsLoad('converse', 'Bedrock Converse', 'bedrock-converse'),
  toolsLoad('invoke', 'Claude by InvokeModel', 'anthropic-bedrock'),
];

/** Returns the proxy's settings for a way, without the addresses of other services. */
export function optionsOfWay(way: ForwardingWay): Pick<ProxyOptions, 'strategy' | 'settings'> {
  switch (way) {
    case 'off':
      return { strategy: 'tool-search', settings: { PROXY_ROLLOUT_MODE: 'off' } };
    default:
      return { strategy: way };
  }
}
