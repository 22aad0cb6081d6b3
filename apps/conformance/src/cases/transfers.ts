import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { say } from '@winnow/testkit';
import type { CaseContext, ConformanceCase } from '../conformance-case.ts';
import type { HeaderList } from '../formats/client-format.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import type { Exchange, ReceivedRequest, WireAnswer } from '../wire/exchange.ts';
import { ALL, SSE, USUAL } from './formats-of.ts';
import { bodyOf, bytes, eachSeen, fail, request, respond, withSteps } from './write.ts';

const SAME: readonly Aspect[] = ['one-request', 'request-meaning', 'status', 'response-meaning', 'end'];

const played = (judges: readonly Aspect[], exchanges: (context: CaseContext) => readonly Exchange[]) => ({
  kind: 'exchanges' as const,
  judges,
  exchanges,
});

/** The shortest address that RFC 9110, section 4.1, wants every recipient to take. */
const LONG_PATH = 8_000;

/** Every byte that there is. */
const NOISE = Buffer.from(Array.from({ length: 1_024 }, (_, at) => (at * 7) % 256));

/** Ways in which a body may be compressed, by their names in headers. */
const COMPRESS = {
  br: (body: Buffer) => brotliCompressSync(body),
  zstd: (body: Buffer) => zstdCompressSync(body),
  gzip: (body: Buffer) => gzipSync(body),
};

/** Compresses a response as the request that arrives allows. */
function compressed(answer: WireAnswer, wanted: keyof typeof COMPRESS) {
  return async ({ headers }: ReceivedRequest): Promise<WireAnswer> => {
    const accepted = headers.find(([name]) => name === 'accept-encoding')?.[1] ?? '';
    const names = accepted.split(',').map((name) => name.trim().split(';')[0]);
    if (!names.includes(wanted)) return answer;
    return {
      ...answer,
      headers: [
        ...answer.headers.filter(([name]) => name !== 'content-length'),
        ['content-encoding', wanted],
      ],
      steps: [{ type: 'bytes', bytes: COMPRESS[wanted](bodyOf(answer)) }],
    };
  };
}

/** Forms of a credential that a vendor takes in addition to the one that its client sends first. */
function otherCredentials({ format, marker, headers }: CaseContext): readonly HeaderList[] {
  const bearer = ['authorization', `Bearer sk-${marker}-bearer`] as const;
  const versions = headers.filter(([name]) => !/^(?:authorization|x-api-key|x-goog-api-key)$/.test(name));
  if (format.name === 'openai-chat' || format.name === 'openai-responses')
    return [[['api-key', `sk-${marker}-azure`]]];
  return [[...versions, bearer]];
}

/** Cases about parts of HTTP that gateways seldom see. */
export const TRANSFERS: readonly ConformanceCase[] = [
  {
    id: 'bodies/response-until-close',
    promise: 'A response whose end is the end of its connection reaches the client whole.',
    sources: ['rfc9112-length'],
    formats: USUAL,
    play: played(SAME, (context) => {
      const usual = request(context);
      const { headers, ...answer } = respond(context, usual, [say('All of it.')]);
      const kept = headers.filter(([name]) => name !== 'content-length');
      return [{ request: usual, answer: { ...answer, headers: kept, endsByClosing: true } }];
    }),
  },
  {
    id: 'bodies/response-binary',
    promise: 'A response of any bytes, such as speech or a file, reaches the client.',
    sources: ['openai-speech', 'anthropic-files'],
    formats: USUAL,
    play: played(['one-request', 'status', 'response-bytes', 'response-headers', 'end'], (context) => {
      const usual = request(context);
      const { marker, headers } = context;
      const asked =
        context.format.name === 'openai-chat'
          ? { ...usual, path: '/v1/audio/speech' }
          : { method: 'GET', path: `/v1/files/file_${marker}/content`, headers, body: [] };
      return [{ request: asked, answer: bytes(NOISE, { headers: [['content-type', 'audio/mpeg']] }) }];
    }),
  },
  {
    id: 'bodies/response-compressed',
    promise: 'A response in an encoding that the client accepts arrives so that the client can read it.',
    sources: ['slm-content-encoding'],
    formats: ALL,
    play: played(SAME, (context) =>
      (['br', 'zstd'] as const).map((name) => {
        const usual = request(context, { headers: [['accept-encoding', `gzip, ${name}`]] });
        return { request: usual, answer: compressed(respond(context, usual, [say('Größe')]), name) };
      }),
    ),
  },
  {
    id: 'bodies/success-status',
    promise: 'A success with another status than 200 reaches the client with it.',
    sources: ['rfc9110-intermediaries'],
    formats: USUAL,
    play: played(['one-request', 'status', 'response-meaning', 'end'], (context) =>
      [201, 202, 204].map((status) => ({
        request: request(context),
        answer: bytes(status === 204 ? '' : '{"id":"batch_1","status":"validating"}', { status }),
      })),
    ),
  },
  {
    id: 'bodies/head',
    promise: 'A request for a head alone arrives as such, and is answered with one.',
    sources: ['rfc9110-head'],
    formats: USUAL,
    play: played(['one-request', 'status', 'response-headers', 'end'], ({ marker, headers }) => [
      {
        request: { method: 'HEAD', path: `/v1/files/file_${marker}`, headers, body: [] },
        answer: bytes('', {
          headers: [
            ['content-type', 'application/json'],
            ['etag', '"1"'],
          ],
        }),
      },
    ]),
  },
  {
    id: 'bodies/conditions',
    promise: 'Conditions and ranges of a request reach the provider, and its short answers the client.',
    sources: ['rfc9110-conditions', 'anthropic-files'],
    formats: USUAL,
    play: played(
      ['one-request', 'request-headers', 'status', 'response-headers', 'response-bytes', 'end'],
      ({ marker, headers }) => {
        const path = `/v1/files/file_${marker}/content`;
        const asked = (...more: HeaderList) => ({
          method: 'GET',
          path,
          headers: [...headers, ...more],
          body: [],
        });
        return [
          {
            request: asked(['if-none-match', '"1"'], ['if-modified-since', 'Thu, 01 Jan 2026 00:00:00 GMT']),
            answer: bytes('', { status: 304, headers: [['etag', '"1"']] }),
          },
          {
            request: asked(['range', 'bytes=2-5'], ['if-range', '"1"']),
            answer: bytes(NOISE.subarray(2, 6), {
              status: 206,
              headers: [
                ['content-type', 'audio/mpeg'],
                ['content-range', `bytes 2-5/${NOISE.length}`],
              ],
            }),
          },
        ];
      },
    ),
  },
  {
    id: 'bodies/request-odd-path',
    promise: 'Paths with escaped and repeated slashes, or with one at their end, stay as they are.',
    sources: ['rfc3986-normalization'],
    formats: USUAL,
    play: played(['one-request', 'status', 'response-meaning', 'end'], ({ marker, headers }) =>
      ['models/org%2fname%2Fx', 'files/https:%2F%2Fa//b', 'models/'].map((path) => ({
        request: { method: 'GET', path: `/v1/${path}?x=${marker}`, headers, body: [] },
        answer: bytes('{"id":"m"}'),
      })),
    ),
  },
  {
    id: 'bodies/response-trailers',
    promise: 'A response with trailers arrives whole, and without them in its body.',
    sources: ['rfc9110-trailers'],
    formats: USUAL,
    play: played(['one-request', 'status', 'response-bytes', 'end'], (context) => {
      const usual = request(context, { isStream: true });
      const answer = respond(context, usual, [say('All of it.')]);
      return [{ request: usual, answer: { ...answer, trailers: [['x-checksum', '0196']] } }];
    }),
  },
  {
    id: 'headers/request-host',
    promise: "The provider is addressed by its own name, not by the gateway's.",
    sources: ['rfc9110-host'],
    formats: ALL,
    play: played(['one-request', 'own-host', 'status', 'end'], (context) => {
      const usual = request(context);
      return [{ request: usual, answer: respond(context, usual, [say('Yes.')]) }];
    }),
  },
  {
    id: 'headers/request-other-credential',
    promise:
      'A credential in another form that the vendor takes reaches the provider, and no other one does.',
    sources: ['anthropic-authentication', 'azure-authentication'],
    formats: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'],
    breaks: 'Claude Code with a subscription sends a bearer token, and no key',
    play: played(['one-request', 'request-headers', 'status', 'end'], (context) =>
      otherCredentials(context).map((headers) => {
        const usual = request({ ...context, headers });
        return { request: usual, answer: respond(context, usual, [say('Yes.')]) };
      }),
    ),
  },
  {
    id: 'headers/request-key-in-query',
    promise: 'A key in the query, as in examples for Gemini, reaches the provider.',
    sources: ['gemini-key'],
    formats: ['gemini'],
    play: played(['one-request', 'status', 'end'], (context) =>
      [false, true].map((isStream) => {
        const usual = request({ ...context, headers: [] }, { isStream });
        const path = `${usual.path}${usual.path.includes('?') ? '&' : '?'}key=AIza-${context.marker}`;
        return { request: { ...usual, path }, answer: respond(context, usual, [say('Yes.')]) };
      }),
    ),
  },
  {
    id: 'headers/request-expect',
    promise: 'A client that asks for leave to send a body, as curl does with large ones, is told to go on.',
    sources: ['rfc9110-expect'],
    formats: USUAL,
    play: played([...SAME, 'timing'], (context) => {
      const usual = request(context, { user: 'x'.repeat(2_000_000), headers: [['expect', '100-continue']] });
      return [{ request: usual, answer: respond(context, usual, [say('Yes.')]) }];
    }),
  },
  {
    id: 'streams/compressed-in-time',
    promise: 'Words reach a client that accepts compressed responses before the provider sends more.',
    sources: ['express-compression', 'html-sse'],
    formats: ALL,
    play: played(['status', 'response-meaning', 'timing', 'end'], (context) => {
      const headers = [['accept-encoding', 'gzip, deflate, br, zstd']] as const;
      const usual = request(context, { isStream: true, headers });
      const words = ['word-0 ', 'word-1 ', 'word-2 '];
      return [{ request: usual, answer: withSteps(respond(context, usual, [say(...words)]), eachSeen) }];
    }),
  },
  {
    id: 'streams/empty',
    promise: 'A stream without an event ends without one.',
    sources: ['html-sse'],
    formats: SSE,
    play: played(['one-request', 'status', 'response-bytes', 'end'], (context) => {
      const usual = request(context, { isStream: true });
      return [{ request: usual, answer: { ...respond(context, usual, [say('Yes.')]), steps: [] } }];
    }),
  },
  {
    id: 'streams/array',
    promise: "Gemini's other form of a stream, an array that grows, reaches the client in time.",
    sources: ['gemini-array'],
    formats: ['gemini'],
    play: played([...SAME, 'timing'], (context) => {
      const usual = request(context, { isStream: true });
      const part = (text: string) => `{"candidates":[{"content":{"parts":[{"text":"${text}"}]}}]}`;
      const answer = bytes(
        ['[', part('word-0'), ',\n', part('word-1'), ',\n', part('word-2'), ']'].map((text) => ({
          type: 'bytes',
          bytes: Buffer.from(text),
        })),
      );
      return [
        {
          request: { ...usual, path: usual.path.replace(/[?&]alt=sse/, '') },
          answer: withSteps(answer, eachSeen),
        },
      ];
    }),
  },
  {
    id: 'errors/other-statuses',
    promise: 'Statuses of errors that few gateways know reach the client with the words of the provider.',
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: played(['one-request', 'status', 'response-meaning', 'end'], (context) =>
      [402, 408, 424, 451, 498, 504, 520].map((status) => {
        const usual = request(context);
        return { request: usual, answer: fail(context, usual, { status }) };
      }),
    ),
  },
  {
    id: 'errors/long-words',
    promise: 'An error of sixteen thousand characters reaches the client whole.',
    sources: ['openai-retries'],
    formats: ALL,
    play: played(['one-request', 'status', 'response-meaning', 'end'], (context) => {
      const usual = request(context);
      const message = 'messages.3: Grüße, this is not what was asked for; '.repeat(320);
      return [{ request: usual, answer: fail(context, usual, { status: 400, message }) }];
    }),
  },
  {
    id: 'errors/compressed',
    promise: 'A compressed error arrives so that the client can read it.',
    sources: ['slm-content-encoding'],
    formats: ALL,
    play: played(['one-request', 'status', 'response-meaning', 'retry-headers', 'end'], (context) => {
      const usual = request(context, { headers: [['accept-encoding', 'gzip']] });
      const headers = { 'retry-after': '7' };
      return [{ request: usual, answer: compressed(fail(context, usual, { status: 429, headers }), 'gzip') }];
    }),
  },
  {
    id: 'errors/in-success',
    promise: 'An error with the status of a success, as some servers send it, keeps that status.',
    sources: ['rfc9110-intermediaries'],
    formats: USUAL,
    play: played(['one-request', 'status', 'response-meaning', 'end'], (context) => {
      const usual = request(context);
      return [{ request: usual, answer: { ...fail(context, usual, { status: 400 }), status: 200 } }];
    }),
  },
  {
    id: 'limits/long-path',
    promise: 'An address of eight thousand characters reaches the provider.',
    sources: ['rfc9110-uri-limits'],
    formats: USUAL,
    isAlone: true,
    play: played(SAME, (context) => {
      const usual = request(context);
      const path = `${usual.path}?x=`.padEnd(LONG_PATH, 'v');
      return [{ request: { ...usual, path }, answer: respond(context, usual, [say('Yes.')]) }];
    }),
  },
  {
    id: 'limits/streams-at-once',
    promise: 'Sixteen streams can be open at once.',
    sources: ['undici-connections'],
    formats: USUAL,
    isAlone: true,
    play: {
      ...played(['one-request', 'status', 'response-meaning', 'end', 'timing'], (context) => {
        const usual = request(context, { isStream: true });
        const answer = async () => {
          await context.allArrived();
          return respond(context, usual, [say('Yours is ', context.marker)]);
        };
        return [{ request: usual, answer }];
      }),
      clients: 16,
    },
  },
  {
    id: 'limits/same-request-at-once',
    promise: 'Two requests that are alike and under way at once are two, each with a response of its own.',
    sources: ['rfc9110-idempotent'],
    formats: USUAL,
    play: played(['both-answered', 'status', 'end'], (context) => {
      let asked = 0;
      return [false, true].map((isStream) => {
        const usual = request(context, { isStream });
        const answer = async () => {
          asked += 1;
          return { ...respond(context, usual, [say(`This is number ${asked}.`)]), startMs: 150 };
        };
        return { request: usual, answer, isTwice: true };
      });
    }),
  },
];
