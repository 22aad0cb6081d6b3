import { gzipSync } from 'node:zlib';
import { callTool, say } from '@winnow/testkit';
import type { CaseContext, ConformanceCase } from '../conformance-case.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import type { Exchange, WireAnswer, WireRequest } from '../wire/exchange.ts';
import { ALL, SSE, USUAL } from './formats-of.ts';
import { bodyOf, bytes, fail, post, request, respond, withHeader } from './write.ts';

const EXACT: readonly Aspect[] = [
  'one-request',
  'request-bytes',
  'status',
  'response-bytes',
  'response-headers',
  'end',
];

/** Text with every width of UTF-8. */
export const WORDS = ['Grüße, ', '世界 ', '🌍 ', 'שלום ', 'e\u0301 ', '\u2028'];

/** With the headers that say how the body is to be read. */
const DESCRIBED: readonly Aspect[] = [...EXACT, 'request-headers'];

const exact = (exchanges: (context: CaseContext) => readonly Exchange[], judges = EXACT) => ({
  kind: 'exchanges' as const,
  judges,
  exchanges,
});

/** A case about an unusual request, which the provider answers as any other. */
function oddRequest(
  name: string,
  promise: string,
  change: (usual: WireRequest, context: CaseContext) => WireRequest,
  more: Partial<ConformanceCase> & { readonly judges?: readonly Aspect[] } = {},
): ConformanceCase {
  const { judges, ...rest } = more;
  return {
    id: `bodies/request-${name}`,
    promise,
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: exact((context) => {
      const usual = request(context);
      return [{ request: change(usual, context), answer: respond(context, usual, [say(...WORDS)]) }];
    }, judges),
    ...rest,
  };
}

/** A case about a whole response with unusual bytes. */
function oddResponse(
  name: string,
  promise: string,
  change: (usual: WireAnswer) => WireAnswer,
  more: Partial<ConformanceCase> = {},
): ConformanceCase {
  return {
    id: `bodies/response-${name}`,
    promise,
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: exact((context) => {
      const usual = request(context);
      return [{ request: usual, answer: change(respond(context, usual, [say(...WORDS)])) }];
    }),
    ...more,
  };
}

/** A case about a stream with unusual bytes between its events. */
function oddStream(
  name: string,
  promise: string,
  change: (text: string) => string,
  more: Partial<ConformanceCase> = {},
): ConformanceCase {
  return {
    id: `bodies/stream-${name}`,
    promise,
    sources: ['html-sse'],
    formats: SSE,
    play: exact((context) => {
      const usual = request(context, { isStream: true });
      const answer = respond(context, usual, [say(...WORDS), callTool('get_weather', { city: 'Köln' })]);
      const text = change(bodyOf(answer).toString('utf8'));
      return [{ request: usual, answer: { ...bytes(text), headers: answer.headers } }];
    }),
    ...more,
  };
}

/** Puts members in front of those of an object. */
const prefixed = (text: string, members: string) => `{${members},${text.slice(1)}`;

const edited =
  (change: (text: string) => string) =>
  (usual: WireRequest): WireRequest => ({
    ...usual,
    body: [Buffer.from(change(Buffer.concat(usual.body).toString('utf8')))],
  });

const rewritten =
  (change: (text: string) => string) =>
  (usual: WireAnswer): WireAnswer => {
    const text = change(bodyOf(usual).toString('utf8'));
    return withHeader(
      { ...usual, steps: bytes(text).steps },
      'content-length',
      String(Buffer.byteLength(text)),
    );
  };

const ODD_NUMBERS = '"x_numbers":[1.0,1e2,12345678901234567890,0.1000,-0]';
const ODD_ESCAPES = '"x_escapes":"\\u00e9\\/\\ud83c\\udf0d\\u0000\\"","x\\u005fkey":"\\ud800"';
const ODD_SPACE = (text: string) => `\r\n { \t${text.slice(1).replaceAll('":', '" :\t')}\n\n`;

/** Bodies reach the other side to the byte. */
export const BODIES: readonly ConformanceCase[] = [
  {
    id: 'bodies/whole',
    promise: 'A request and its whole response pass to the byte.',
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: exact((context) => {
      const usual = request(context, { system: 'Be brief: “quote”.' });
      const parts = [say(...WORDS), callTool('get_weather', { city: 'Köln', days: 3 })];
      return [{ request: usual, answer: respond(context, usual, parts) }];
    }),
  },
  {
    id: 'bodies/stream',
    promise: 'A streamed response passes to the byte.',
    sources: ['html-sse', 'rfc9110-intermediaries'],
    formats: ALL,
    play: exact((context) => {
      const usual = request(context, { isStream: true });
      const parts = [say(...WORDS), callTool('get_weather', { city: 'Köln', days: 3 })];
      return [{ request: usual, answer: respond(context, usual, parts) }];
    }),
  },
  oddRequest('white-space', 'White space in a request stays as it is.', edited(ODD_SPACE)),
  oddRequest(
    'numbers',
    'Numbers in a request keep their digits, beyond the range of a double, too.',
    edited((text) => prefixed(text, ODD_NUMBERS)),
    { sources: ['rfc8259-numbers'] },
  ),
  oddRequest(
    'escapes',
    'Escapes in a request stay as they are, unpaired surrogates included.',
    edited((text) => prefixed(text, ODD_ESCAPES)),
    { sources: ['cache-fix-utf8', 'cc-switch-utf8'] },
  ),
  oddRequest(
    'duplicate-members',
    'A member that a request names twice arrives twice.',
    edited((text) => prefixed(text, '"x_twice":1,"x_twice":2')),
  ),
  oddRequest(
    'unknown-members',
    'Members of a request that no documentation names arrive.',
    edited((text) => prefixed(text, '"x_new_feature":{"mode":"fast","nested":[{"a":null}]}')),
    { sources: ['any-llm-lost-fields'] },
  ),
  oddRequest(
    'order',
    'Members of a request keep their order, on which prompt caches depend.',
    edited((text) => {
      const members = Object.entries(JSON.parse(text) as object).toReversed();
      return JSON.stringify({ ...Object.fromEntries(members), zz: { b: 1, a: 2 }, aa: 1 });
    }),
    { sources: ['anthropic-prompt-caching'] },
  ),
  oddRequest(
    'raw-utf-8',
    'Characters of every width in a request stay as they are.',
    edited((text) => prefixed(text, `"x_words":${JSON.stringify(WORDS.join(''))}`)),
    { sources: ['cache-fix-utf8', 'cc-switch-utf8'] },
  ),
  oddRequest(
    'chunked',
    'A request without a length arrives whole.',
    (usual) => {
      const body = Buffer.concat(usual.body);
      return { ...usual, body: [body.subarray(0, 40), body.subarray(40, 41), body.subarray(41)] };
    },
    { sources: ['rfc9112-chunked'], formats: USUAL },
  ),
  oddRequest(
    'gzip',
    'A compressed request arrives as it was sent, and as such.',
    (usual) => ({
      ...usual,
      headers: [...usual.headers, ['content-encoding', 'gzip']],
      body: [gzipSync(Buffer.concat(usual.body))],
    }),
    { formats: ['openai-chat', 'openai-responses'], judges: DESCRIBED, isAlone: true },
  ),
  oddRequest(
    'query',
    'The query of a request stays as it is, escapes included.',
    (usual) => ({
      ...usual,
      path: `${usual.path}${usual.path.includes('?') ? '&' : '?'}z=9&beta=true&x=a%20b%2Fc+d&y[]=1&y[]=2`,
    }),
    { sources: ['rfc9110-intermediaries'] },
  ),
  {
    id: 'bodies/request-not-json',
    promise: 'A request that is not JSON reaches the provider, which refuses it in its own words.',
    sources: ['rfc9110-intermediaries'],
    formats: USUAL,
    play: exact((context) => {
      const usual = request(context);
      const text = `{"model": "m", "messages": [ (${context.marker})`;
      return [text, `\uFEFF${text}`].map((broken) => ({
        request: post(usual.path, context.headers, broken),
        answer: fail(context, usual, { status: 400, message: 'not JSON' }),
      }));
    }),
  },
  {
    id: 'bodies/request-not-text',
    promise: 'A request of any bytes reaches the provider.',
    sources: ['rfc9110-intermediaries'],
    formats: USUAL,
    play: exact((context) => {
      const usual = request(context);
      const noise = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 1, 0x80]), Buffer.from(context.marker)]);
      const broken = post(usual.path, context.headers, noise);
      return [{ request: broken, answer: fail(context, usual, { status: 400, message: 'no text' }) }];
    }),
  },
  {
    id: 'bodies/request-form',
    promise: 'A form with a file reaches the provider with the type that says where its parts end.',
    sources: ['openai-transcriptions'],
    formats: ['openai-chat'],
    play: exact((context) => {
      const edge = `----${context.marker}`;
      const body = Buffer.concat([
        Buffer.from(`--${edge}\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n`),
        Buffer.from(`--${edge}\r\ncontent-disposition: form-data; name="file"; filename="ü.wav"\r\n\r\n`),
        Buffer.from([0, 0xff, 0x0d, 0x0a, 0x80]),
        Buffer.from(`\r\n--${edge}--\r\n`),
      ]);
      const form: WireRequest = {
        method: 'POST',
        path: '/v1/audio/transcriptions',
        headers: [...context.headers, ['content-type', `multipart/form-data; boundary=${edge}`]],
        body: [body],
      };
      return [{ request: form, answer: bytes('{"text":"Grüße"}') }];
    }, DESCRIBED),
  },
  {
    id: 'bodies/request-empty',
    promise: 'A request without a body reaches the provider.',
    sources: ['rfc9110-intermediaries'],
    formats: USUAL,
    play: exact((context) => {
      const usual = request(context);
      const empty = post(`${usual.path}?x=${context.marker}`, context.headers, '');
      return [{ request: empty, answer: fail(context, usual, { status: 400, message: 'empty' }) }];
    }),
  },
  oddResponse('white-space', 'White space in a response stays as it is.', rewritten(ODD_SPACE)),
  oddResponse(
    'numbers',
    'Numbers in a response keep their digits.',
    rewritten((text) => prefixed(text, ODD_NUMBERS)),
    { sources: ['rfc8259-numbers'] },
  ),
  oddResponse(
    'escapes',
    'Escapes in a response stay as they are.',
    rewritten((text) => prefixed(text, ODD_ESCAPES)),
  ),
  oddResponse(
    'unknown-members',
    'Members of a response that no documentation names arrive.',
    rewritten((text) => prefixed(text, '"x_new_feature":{"score":0.5,"parts":[{"a":null}]}')),
    { sources: ['any-llm-lost-fields'] },
  ),
  oddResponse(
    'duplicate-members',
    'A member that a response names twice arrives twice.',
    rewritten((text) => prefixed(text, '"x_twice":1,"x_twice":2')),
  ),
  oddResponse(
    'chunked',
    'A whole response without a length arrives whole.',
    (usual) => {
      const body = bodyOf(usual);
      const headers = usual.headers.filter(([name]) => name !== 'content-length');
      const pieces = [body.subarray(0, 20), body.subarray(20, 21), body.subarray(21)];
      return { ...usual, headers, steps: pieces.map((piece) => ({ type: 'bytes', bytes: piece })) };
    },
    { sources: ['rfc9112-chunked'], formats: USUAL },
  ),
  {
    id: 'bodies/response-gzip',
    promise: 'A compressed response arrives so that the client can read it.',
    sources: ['slm-content-encoding'],
    breaks: '@anthropic-ai/sdk and openai fail with a zlib error if the header stays and the body is plain',
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'status', 'response-meaning', 'end'],
      exchanges: (context) => {
        const usual = request(context, { headers: [['accept-encoding', 'gzip']] });
        return [{ request: usual, answer: gzipped(respond(context, usual, [say(...WORDS)])) }];
      },
    },
  },
  {
    id: 'bodies/stream-gzip',
    promise: 'A compressed stream arrives so that the client can read it.',
    sources: ['slm-content-encoding'],
    formats: SSE,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'status', 'response-meaning', 'end'],
      exchanges: (context) => {
        const usual = request(context, { isStream: true, headers: [['accept-encoding', 'gzip']] });
        return [{ request: usual, answer: gzipped(respond(context, usual, [say(...WORDS)])) }];
      },
    },
  },
  oddResponse(
    'not-json',
    'A page in the place of JSON passes with its type, so that clients can report it.',
    () =>
      bytes('<html><body>Bad gateway? Grüße</body></html>\n', {
        status: 502,
        headers: [['content-type', 'text/html; charset=utf-8']],
      }),
    { formats: USUAL },
  ),
  oddResponse('empty', 'An empty response stays empty.', () => bytes('', { status: 200 }), {
    formats: USUAL,
  }),
  oddStream('crlf', 'Lines of a stream that end in CR LF keep their ends.', (text) =>
    text.replaceAll('\n', '\r\n'),
  ),
  oddStream('comments', 'Comments in a stream stay where they are.', (text) =>
    text.replaceAll('data:', ': keep-alive\n\ndata:').replaceAll(/(event: [^\n]+\n): keep-alive\n\n/g, '$1'),
  ),
  oddStream(
    'unknown-events',
    'Events that no documentation names pass.',
    (text) => `event: x_new_event\ndata: {"type":"x_new_event","x":1.0}\n\n${text}`,
    { sources: ['anthropic-streaming'] },
  ),
  oddStream('fields', 'The fields `id` and `retry` of a stream pass.', (text) =>
    text.replace('data:', 'id: 7\nretry: 1500\ndata:'),
  ),
  oddStream('spaces', 'Lines with and without a space behind the colon pass as they are.', (text) =>
    text.replaceAll('data: ', 'data:'),
  ),
  oddStream('no-final-blank-line', 'A stream whose last event has no blank line ends so.', (text) =>
    text.replace(/\n+$/, '\n'),
  ),
  {
    id: 'bodies/token-counts',
    promise: 'Requests to count tokens pass to the byte, both ways.',
    sources: ['anthropic-messages'],
    formats: ['anthropic-messages', 'gemini'],
    play: exact((context) => {
      const usual = request(context);
      const isGemini = context.format.name === 'gemini';
      const path = isGemini
        ? usual.path.replace(':generateContent', ':countTokens')
        : `${usual.path}/count_tokens`;
      const text = isGemini ? '{"totalTokens":31 ,"x":1.0}' : '{"input_tokens":31 ,"x":1.0}';
      return [{ request: { ...usual, path }, answer: bytes(text) }];
    }),
  },
];

function gzipped(answer: WireAnswer): WireAnswer {
  const body = gzipSync(bodyOf(answer));
  const headers = answer.headers.filter(([name]) => name !== 'content-length');
  return {
    ...answer,
    headers: [...headers, ['content-encoding', 'gzip']],
    steps: [{ type: 'bytes', bytes: body }],
  };
}
