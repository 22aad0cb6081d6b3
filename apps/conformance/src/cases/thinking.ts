import { type AnswerPart, callTool, say, think } from '@winnow/testkit';
import type { CaseContext, ConformanceCase } from '../conformance-case.ts';
import type { FormatName } from '../formats/client-format.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import type { Exchange } from '../wire/exchange.ts';
import { proceed } from './tools.ts';
import { bodyOf, eachSeen, request, respond, withSteps } from './write.ts';

const SAME: readonly Aspect[] = ['one-request', 'request-meaning', 'status', 'response-meaning', 'end'];

const THINKING: readonly FormatName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'gemini-interactions',
  'ollama-chat',
  'bedrock-converse',
  'bedrock-invoke',
];
const SIGNED: readonly FormatName[] = THINKING.filter(
  (name) => name !== 'openai-chat' && name !== 'ollama-chat',
);

const TOOL = {
  name: 'get_weather',
  description: 'Get the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

function thinking(
  name: string,
  promise: string,
  exchanges: (context: CaseContext) => readonly Exchange[],
  more: Partial<ConformanceCase> & { readonly judges?: readonly Aspect[] } = {},
): ConformanceCase {
  const { judges = SAME, ...rest } = more;
  return {
    id: `thinking/${name}`,
    promise,
    sources: ['manifest-thinking', 'anthropic-thinking'],
    formats: THINKING,
    play: { kind: 'exchanges', judges, exchanges },
    ...rest,
  };
}

/** A response to a thinking model's request, whole or streamed. */
const thought =
  (isStream: boolean, parts: readonly AnswerPart[]) =>
  (context: CaseContext): Exchange[] => {
    const usual = request(context, { thinks: true, isStream, tools: [TOOL] });
    return [{ request: usual, answer: respond(context, usual, parts) }];
  };

/** A request, and the next one that holds the response to it. */
const returned =
  (parts: readonly AnswerPart[]) =>
  (context: CaseContext): Exchange[] => {
    const first = request(context, { thinks: true, tools: [TOOL] });
    const answer = respond(context, first, parts);
    const second = proceed(context, first, [bodyOf(answer)]);
    return [
      { request: first, answer },
      { request: second, answer: respond(context, second, [think('Once more.'), say('Sunny.')]) },
    ];
  };

const PARTS = [
  think('Let me ', 'see: ', 'Grüße 🌍.\n'),
  say('Well. '),
  callTool('get_weather', { city: 'Köln' }),
];
const REDACTED = { type: 'block' as const, block: { type: 'redacted_thinking', data: 'EroBCkYIBxgC+/==' } };

/** Thinking and its signatures pass unchanged, so that providers accept them again. */
export const THINKING_CASES: readonly ConformanceCase[] = [
  thinking(
    'whole',
    'Thinking in a whole response reaches the client with its signature.',
    thought(false, PARTS),
  ),
  thinking(
    'stream',
    'Thinking in a stream reaches the client with its signature, in order.',
    thought(true, PARTS),
  ),
  thinking(
    'in-time',
    'Thinking reaches the client as it comes.',
    (context) => {
      const usual = request(context, { thinks: true, isStream: true });
      const words = Array.from({ length: 6 }, (_, number) => `word-${number} `);
      const answer = respond(context, usual, [think(...words), say('Done.')]);
      return [{ request: usual, answer: withSteps(answer, eachSeen) }];
    },
    { judges: ['status', 'timing', 'response-meaning'], sources: ['unity-gateway-buffering'] },
  ),
  thinking(
    'returned-with-calls',
    'Thinking that a client sends back with the results of calls reaches the provider unchanged.',
    returned(PARTS),
    {
      formats: THINKING,
      sources: ['manifest-thinking', 'cliproxy-signature', 'gemini-thought-signatures'],
      breaks: 'the provider refuses the next request of Claude Code with status 400',
    },
  ),
  thinking(
    'returned-with-text',
    'Thinking that a client sends back with a new message reaches the provider unchanged.',
    returned([think('Let me see.'), say('Hello.')]),
    { sources: ['anthropic-sdk-signature', 'gemini-thought-signatures'] },
  ),
  thinking(
    'redacted',
    'Thinking that the provider has encrypted passes in both directions.',
    returned([REDACTED, think('And more.'), say('Hello.')]),
    { formats: ['anthropic-messages', 'bedrock-invoke'] },
  ),
  thinking(
    'only-signature',
    'Thinking without text keeps its signature.',
    thought(true, [think(), say('Hello.')]),
    { formats: SIGNED, sources: ['gemini-thought-signatures', 'anthropic-thinking'] },
  ),
  thinking(
    'interleaved',
    'Thinking between calls stays between them.',
    thought(true, [
      think('First.'),
      callTool('get_weather', { city: 'Köln' }),
      think('Second.'),
      callTool('get_weather', { city: 'Bonn' }),
    ]),
    { formats: ['anthropic-messages', 'bedrock-invoke', 'bedrock-converse', 'openai-responses'] },
  ),
];
