import { say } from '@winnow/testkit';
import type { CaseContext, ConformanceCase } from '../conformance-case.ts';
import type { HeaderList } from '../formats/client-format.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import type { WireAnswer } from '../wire/exchange.ts';
import { ALL, USUAL } from './formats-of.ts';
import { bytes, fail, request, respond } from './write.ts';

const REQUEST: readonly Aspect[] = ['one-request', 'request-headers', 'status', 'end'];
const RESPONSE: readonly Aspect[] = ['status', 'response-headers', 'end'];

/** A case about headers of the request. */
function sent(
  name: string,
  promise: string,
  headers: HeaderList | ((context: CaseContext) => HeaderList),
  more: Partial<ConformanceCase> = {},
): ConformanceCase {
  return {
    id: `headers/${name}`,
    promise,
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: REQUEST,
      exchanges: (context) =>
        [false, true].map((isStream) => {
          const list = typeof headers === 'function' ? headers(context) : headers;
          const usual = request(context, { isStream, headers: list });
          return { request: usual, answer: respond(context, usual, [say('Yes.')]) };
        }),
    },
    ...more,
  };
}

/** A case about headers of the response. */
function received(
  name: string,
  promise: string,
  headers: HeaderList,
  more: Partial<ConformanceCase> = {},
): ConformanceCase {
  const added = (answer: WireAnswer): WireAnswer => ({ ...answer, headers: [...answer.headers, ...headers] });
  return {
    id: `headers/${name}`,
    promise,
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: RESPONSE,
      exchanges: (context) => {
        const whole = request(context);
        const stream = request(context, { isStream: true });
        return [
          { request: whole, answer: added(respond(context, whole, [say('Yes.')])) },
          { request: stream, answer: added(respond(context, stream, [say('Yes.')])) },
          { request: whole, answer: added(fail(context, whole, { status: 400 })) },
        ];
      },
    },
    ...more,
  };
}

/** The headers by which each vendor's client says who it is and what it wants. */
const OF_VENDORS: Readonly<Record<string, HeaderList>> = {
  'openai-chat': [
    ['openai-organization', 'org-conformance'],
    ['openai-project', 'proj_conformance'],
    ['idempotency-key', 'stainless-node-retry-1'],
  ],
  'openai-responses': [
    ['openai-beta', 'responses=v1'],
    ['session_id', '0196'],
    ['originator', 'codex_cli_rs'],
  ],
  'anthropic-messages': [
    ['anthropic-beta', 'context-1m-2025-08-07,interleaved-thinking-2025-05-14'],
    ['anthropic-dangerous-direct-browser-access', 'true'],
    ['x-app', 'cli'],
  ],
  gemini: [
    ['x-goog-api-client', 'google-genai-sdk/3.1.0 gl-node/24'],
    ['x-goog-user-project', 'conformance'],
  ],
  'gemini-interactions': [['x-goog-api-client', 'google-genai-sdk/3.1.0 gl-node/24']],
  'ollama-chat': [['x-ollama-extra', 'kept']],
  'bedrock-converse': [
    ['x-amzn-bedrock-trace', 'ENABLED'],
    ['amz-sdk-invocation-id', '0196-conformance'],
    ['amz-sdk-request', 'attempt=1; max=3'],
  ],
  'bedrock-invoke': [
    ['x-amzn-bedrock-accept', '*/*'],
    ['x-amzn-bedrock-guardrailidentifier', 'none'],
  ],
};

/** Headers pass in both directions. */
export const HEADERS: readonly ConformanceCase[] = [
  sent('request-unknown', 'Headers of a request that no documentation names reach the provider.', [
    ['x-unknown-header', 'Kept, as it is'],
    ['x-empty', ''],
  ]),
  sent(
    'request-of-vendor',
    "The headers of the vendor's own client reach the provider.",
    ({ format }) => OF_VENDORS[format.name] ?? [],
    {
      sources: ['agentgateway-beta-headers', 'context-gateway-headers'],
      breaks: 'Claude Code and Codex lose features that they ask for by header',
    },
  ),
  sent('request-credential', "The client's credential reaches the provider unchanged.", [], {
    sources: ['anthropic-messages'],
  }),
  sent('request-user-agent', 'The user agent of a request reaches the provider.', [
    ['user-agent', 'conformance-kit/1.0 (node 24; linux)'],
  ]),
  sent('request-stainless', "The headers of the official clients' retries reach the provider.", [
    ['x-stainless-retry-count', '2'],
    ['x-stainless-timeout', '600'],
    ['x-stainless-lang', 'js'],
  ]),
  sent(
    'request-repeated',
    'A header that a request names twice reaches the provider with both values, in order.',
    [
      ['x-listed', 'one'],
      ['x-listed', 'two'],
    ],
    { sources: ['rfc9110-field-lines'] },
  ),
  sent(
    'request-latin',
    'A header with letters beyond ASCII reaches the provider, byte by byte.',
    [['x-title', Buffer.from('Grüße, 世界').toString('latin1')]],
    { sources: ['rfc9110-field-values'], formats: USUAL },
  ),
  sent('request-accept', 'The types that a client accepts reach the provider.', [
    ['accept', 'text/event-stream, application/json;q=0.5'],
    ['accept-language', '*'],
  ]),
  sent('request-long', 'A header of four thousand characters reaches the provider.', [
    ['x-long', 'v'.repeat(4_000)],
  ]),
  sent(
    'request-many',
    'A request of eighty headers reaches the provider with all of them.',
    Array.from({ length: 80 }, (_, number) => [`x-number-${number}`, String(number)] as const),
    { sources: ['rfc9110-field-limits'], formats: USUAL },
  ),
  received(
    'response-many',
    'A response of eighty headers reaches the client with all of them.',
    Array.from({ length: 80 }, (_, number) => [`x-number-${number}`, String(number)] as const),
    { sources: ['rfc9110-field-limits'], formats: USUAL },
  ),
  received('response-notices', 'What a provider says of itself in headers reaches the client.', [
    ['deprecation', '@1767225600'],
    ['sunset', 'Thu, 01 Jan 2026 00:00:00 GMT'],
    ['link', '<https://example.org/changes>; rel="deprecation"'],
    ['warning', '299 - "This model is old."'],
    ['content-language', 'en'],
    ['last-modified', 'Thu, 01 Jan 2026 00:00:00 GMT'],
  ]),
  received(
    'response-latin',
    'A response header with letters beyond ASCII reaches the client, byte by byte.',
    [['x-title', Buffer.from('Grüße, 世界').toString('latin1')]],
    { sources: ['rfc9110-field-values'], formats: USUAL },
  ),
  received(
    'response-of-vendor',
    "The provider's own headers reach the client, on errors, too.",
    [
      ['x-ratelimit-remaining-requests', '41'],
      ['x-ratelimit-reset-tokens', '6m0s'],
      ['anthropic-ratelimit-tokens-reset', '2026-01-01T00:00:00Z'],
      ['openai-processing-ms', '412'],
      ['x-envoy-upstream-service-time', '77'],
    ],
    { sources: ['litellm-retry-after', 'anthropic-errors'] },
  ),
  received('response-unknown', 'Headers of a response that no documentation names reach the client.', [
    ['x-unknown-header', 'Kept, as it is'],
    ['x-empty', ''],
  ]),
  received(
    'response-cookies',
    'Each cookie of a response stays a header of its own, or all of them stay with the gateway.',
    [
      ['set-cookie', '__cf_bm=abc; path=/; HttpOnly'],
      ['set-cookie', '_cfuvid=def; expires=Thu, 01 Jan 2026 00:00:00 GMT'],
    ],
    { sources: ['rfc9110-field-lines'] },
  ),
  {
    id: 'headers/cookies-of-others',
    promise: 'A cookie that the provider gives to one client is not sent with the request of another.',
    sources: ['litellm-cookies', 'gradio-cookies'],
    formats: USUAL,
    play: {
      kind: 'exchanges',
      judges: [...REQUEST, 'no-foreign-cookies'],
      exchanges: (context) => {
        const first = request({ ...context, headers: context.format.headers(`sk-${context.marker}-other`) });
        const given = respond(context, first, [say('Yes.')]);
        const cookie = ['set-cookie', `session=${context.marker}; path=/; HttpOnly`] as const;
        const usual = request(context);
        return [
          { request: first, answer: { ...given, headers: [...given.headers, cookie] }, isPrelude: true },
          { request: usual, answer: respond(context, usual, [say('Yes.')]) },
        ];
      },
    },
  },
  received(
    'response-request-id',
    'The id of a request, which support asks for, reaches the client.',
    [
      ['x-amzn-trace-id', 'Root=1-67891233-abcdef012345678912345678'],
      ['cf-ray', '8f0000000000-FRA'],
    ],
    { sources: ['anthropic-errors'] },
  ),
  received('response-caching', 'What a response says of caching reaches the client.', [
    ['cache-control', 'no-cache, must-revalidate'],
    ['vary', 'Origin, X-Origin'],
    ['etag', 'W/"1"'],
  ]),
  {
    id: 'headers/response-type',
    promise: 'The type of a response reaches the client with its parameters.',
    sources: ['rfc9110-intermediaries'],
    formats: USUAL,
    play: {
      kind: 'exchanges',
      judges: RESPONSE,
      exchanges: (context) =>
        ['application/json; charset=utf-8; x="1"', 'text/plain', 'application/problem+json'].map((type) => ({
          request: request(context),
          answer: bytes('{"a":1}', { headers: [['content-type', type]] }),
        })),
    },
  },
];
