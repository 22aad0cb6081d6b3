import { say } from '@winnow/testkit';
import type { ConformanceCase } from '../conformance-case.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import type { WireAnswer } from '../wire/exchange.ts';
import { ALL, USUAL } from './formats-of.ts';
import { bytes, fail, request, respond, withSteps } from './write.ts';

const REFUSED: readonly Aspect[] = ['one-request', 'status', 'response-meaning', 'retry-headers', 'end'];

interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errorType?: string;
  readonly message?: string;
}

/** A case about an error in the place of a response, for whole and streamed requests. */
function refused(
  name: string,
  promise: string,
  refusal: Refusal,
  more: Partial<ConformanceCase> = {},
): ConformanceCase {
  return {
    id: `errors/${name}`,
    promise,
    sources: ['anthropic-errors', 'openai-retries'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: REFUSED,
      exchanges: (context) =>
        [false, true].map((isStream) => {
          const usual = request(context, { isStream });
          return { request: usual, answer: fail(context, usual, refusal) };
        }),
    },
    ...more,
  };
}

/** A case about an answer that no format describes. */
function odd(name: string, promise: string, answer: WireAnswer, judges: readonly Aspect[]): ConformanceCase {
  return {
    id: `errors/${name}`,
    promise,
    sources: ['rfc9110-intermediaries'],
    formats: USUAL,
    play: {
      kind: 'exchanges',
      judges,
      exchanges: (context) => [{ request: request(context), answer }],
    },
  };
}

/** Errors arrive as the provider made them, once, with what a client needs to try again. */
export const ERRORS: readonly ConformanceCase[] = [
  refused('400', 'A refused request gets the status and the words of the provider.', {
    status: 400,
    message: 'messages.0: “role” is missing — Grüße',
  }),
  refused('401', 'A wrong key gets the status and the words of the provider.', {
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="api"' },
  }),
  refused('403', 'A missing permission gets the status and the words of the provider.', { status: 403 }),
  refused('404', 'An unknown model gets the status and the words of the provider.', { status: 404 }),
  refused('409', 'A conflict gets the status and the words of the provider.', { status: 409 }),
  refused('413', 'A request that is too large for the provider gets its status and its words.', {
    status: 413,
    errorType: 'request_too_large',
  }),
  refused('422', 'A request that cannot be processed gets the status and the words of the provider.', {
    status: 422,
  }),
  refused(
    '429-retry-after',
    'A rate limit reaches the client with its seconds to wait.',
    { status: 429, headers: { 'retry-after': '7', 'x-ratelimit-remaining-requests': '0' } },
    {
      sources: ['litellm-retry-after', 'hawk-retry-after'],
      breaks: 'openai and @anthropic-ai/sdk retry too soon',
    },
  ),
  refused(
    '429-retry-after-ms',
    'A rate limit reaches the client with its milliseconds to wait.',
    { status: 429, headers: { 'retry-after-ms': '1234', 'x-should-retry': 'true' } },
    { sources: ['openai-retries'], breaks: 'openai and @anthropic-ai/sdk retry too soon' },
  ),
  refused(
    '429-no-retry',
    'A rate limit that forbids retries reaches the client with that word, and only once.',
    { status: 429, headers: { 'x-should-retry': 'false' } },
    { sources: ['openai-retries'], breaks: 'openai and @anthropic-ai/sdk retry in vain' },
  ),
  refused('500', 'A failure of the provider reaches the client as it is, and is not repeated.', {
    status: 500,
  }),
  refused('503-retry-date', 'An overload reaches the client with the date of its end.', {
    status: 503,
    headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' },
  }),
  refused(
    '529',
    "Anthropic's status for an overload reaches the client.",
    { status: 529, errorType: 'overloaded_error', headers: { 'x-should-retry': 'true' } },
    { formats: ['anthropic-messages'], sources: ['anthropic-errors'] },
  ),
  refused(
    'type-of-bedrock',
    "The header that names Bedrock's exception reaches the client.",
    { status: 400, headers: { 'x-amzn-errortype': 'ValidationException:http://internal/' } },
    {
      formats: ['bedrock-converse', 'bedrock-invoke'],
      sources: ['bedrock-errors'],
      breaks: '@aws-sdk/client-bedrock-runtime throws an unknown error in place of ValidationException',
    },
  ),
  odd(
    'page',
    'An error that is a page reaches the client with its status.',
    bytes('<html>502 Bad Gateway</html>', { status: 502, headers: [['content-type', 'text/html']] }),
    REFUSED,
  ),
  odd(
    'no-body',
    'An error without a body reaches the client with its status.',
    bytes('', { status: 504, headers: [['retry-after', '3']] }),
    REFUSED,
  ),
  {
    id: 'errors/no-response',
    promise:
      'A provider that closes the connection gets the request once, and the client gets an error, and soon.',
    sources: ['rfc9110-502', 'rfc9110-idempotent'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'end'],
      exchanges: (context) => [{ request: request(context), answer: { ...bytes(''), isRefusing: true } }],
    },
  },
  {
    id: 'errors/whole-cut-off',
    promise: 'A whole response whose connection breaks never looks complete, and is not asked for again.',
    sources: ['rfc9112-incomplete', 'rfc9110-idempotent'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'end'],
      exchanges: (context) => {
        const usual = request(context);
        const answer = respond(context, usual, [say('A text that is long enough to be cut off.')]);
        return [
          {
            request: usual,
            answer: withSteps(answer, ([first]) =>
              first?.type === 'bytes'
                ? [
                    { type: 'bytes', bytes: first.bytes.subarray(0, first.bytes.length >> 1) },
                    { type: 'silence', ms: 20 },
                    { type: 'break' },
                  ]
                : [],
            ),
          },
        ];
      },
    },
  },
  {
    id: 'errors/idle-connection',
    promise: 'A connection that the provider has closed between two requests does not fail the next one.',
    sources: ['caddy-idle-connections', 'subrouter-idle-connections'],
    formats: USUAL,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'status', 'response-meaning', 'end'],
      exchanges: (context) => {
        const usual = request(context);
        const answer = respond(context, usual, [say('Yes.')]);
        return [
          { request: usual, answer: { ...answer, closesBehind: true } },
          { request: usual, answer, restMs: 100 },
        ];
      },
    },
  },
  {
    id: 'errors/then-success',
    promise: 'After an error the next request of the same client is answered.',
    sources: ['litellm-cooldown'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'status', 'response-meaning', 'end'],
      exchanges: (context) => {
        const usual = request(context);
        const failed = { request: usual, answer: fail(context, usual, { status: 429 }) };
        return [failed, failed, failed, { request: usual, answer: respond(context, usual, [say('Yes.')]) }];
      },
    },
  },
];
