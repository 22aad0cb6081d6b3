import { type JsonObject, say, type Usage } from '@winnow/testkit';
import type { CaseContext, ConformanceCase } from '../conformance-case.ts';
import type { FormatName } from '../formats/client-format.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import { TOOLS, WANTED } from './catalogue.ts';
import { ALL } from './formats-of.ts';
import { request, respond } from './write.ts';

const SAME: readonly Aspect[] = ['one-request', 'request-meaning', 'status', 'response-meaning', 'end'];
const LONG = 'You are an agent of the finance department. Answer in short sentences. '.repeat(120);

const USAGE: Usage = {
  inputTokens: 17,
  outputTokens: 42,
  cacheReadTokens: 4_096,
  cacheWriteTokens: 128,
  reasoningTokens: 9,
};

function reported(name: string, promise: string, isStream: boolean, usage: Usage): ConformanceCase {
  return {
    id: `usage/${name}`,
    promise,
    sources: ['anthropic-prompt-caching', 'openai-prompt-caching'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context) => {
        const usual = request(context, { isStream });
        return [{ request: usual, answer: respond(context, usual, [say('Yes.')], { usage }) }];
      },
    },
  };
}

/** A case about a member of a request that concerns the prompt cache. */
function asked(
  name: string,
  promise: string,
  formats: readonly FormatName[],
  members: JsonObject,
): ConformanceCase {
  return {
    id: `usage/${name}`,
    promise,
    sources: ['commandcode-cache-control', 'anthropic-prompt-caching', 'openai-prompt-caching'],
    formats,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context: CaseContext) => {
        const usual = request(context, {
          edit: (body) => JSON.stringify({ ...(JSON.parse(body) as JsonObject), ...members }),
        });
        return [{ request: usual, answer: respond(context, request(context), [say('Yes.')]) }];
      },
    },
  };
}

/** A conversation whose prompt is long enough for every provider's cache. */
function cached(
  name: string,
  promise: string,
  checks: ('keeps-cache' | 'constant-head')[],
  formats = ALL,
): ConformanceCase {
  return {
    id: `usage/${name}`,
    promise,
    sources: ['anthropic-prompt-caching', 'openai-prompt-caching'],
    formats,
    play: {
      kind: 'conversation',
      conversation: () => ({
        open: { user: 'How is the weather in Köln?', system: LONG, tools: TOOLS.slice(-4), isMarked: true },
        messages: ['And in Bonn?', 'Thank you.'],
        plan: {
          turns: [
            { steps: [{ thenCall: [{ name: WANTED.name, input: { city: 'Köln' } }] }] },
            { steps: [{ thenCall: [{ name: WANTED.name, input: { city: 'Bonn' } }] }] },
            {},
          ],
        },
        checks,
      }),
    },
  };
}

/** The cost of requests is reported as it is, and does not rise. */
export const USAGE_CASES: readonly ConformanceCase[] = [
  reported(
    'whole',
    'The tokens of a whole response reach the client, those of caches included.',
    false,
    USAGE,
  ),
  reported('stream', 'The tokens of a stream reach the client, those of caches included.', true, USAGE),
  reported('zero', 'Counts of zero stay zero.', false, {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
  }),
  {
    id: 'usage/marks',
    promise: 'Cache marks of a client reach the provider.',
    sources: ['commandcode-cache-control', 'anthropic-prompt-caching'],
    formats: ['anthropic-messages', 'bedrock-converse', 'bedrock-invoke'],
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context) => {
        const usual = request(context, { system: LONG, isMarked: true, tools: TOOLS.slice(-3) });
        return [{ request: usual, answer: respond(context, usual, [say('Yes.')], { usage: USAGE }) }];
      },
    },
  },
  asked(
    'one-hour',
    'The lifetime of a cache mark reaches the provider.',
    ['anthropic-messages', 'bedrock-invoke'],
    {
      system: [{ type: 'text', text: LONG, cache_control: { type: 'ephemeral', ttl: '1h' } }],
    },
  ),
  asked(
    'cache-key',
    'The key and the retention of a prompt cache reach the provider.',
    ['openai-chat', 'openai-responses'],
    {
      prompt_cache_key: 'agent-7',
      prompt_cache_retention: '24h',
    },
  ),
  asked(
    'tier',
    'The service tier of a request reaches the provider.',
    ['openai-chat', 'openai-responses', 'anthropic-messages'],
    {
      service_tier: 'auto',
      metadata: { user_id: 'u-1' },
    },
  ),
  asked('stream-options', 'The options of a stream reach the provider.', ['openai-chat'], {
    stream_options: { include_usage: true, include_obfuscation: false },
  }),
  cached(
    'conversation',
    'The later requests of a conversation read as much from the prompt cache as without the gateway.',
    ['keeps-cache'],
  ),
  cached('conversations', 'Two conversations of one agent begin with the same prompt.', ['constant-head']),
];
