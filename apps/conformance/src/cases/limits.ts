import { callTool, type JsonObject, say } from '@winnow/testkit';
import type { ConformanceCase } from '../conformance-case.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import { TOOLS } from './catalogue.ts';
import { ALL, USUAL } from './formats-of.ts';
import { bodyOf, bytes, eachSeen, fail, request, respond, withHeader, withSteps } from './write.ts';

const SAME: readonly Aspect[] = ['one-request', 'request-meaning', 'status', 'response-meaning', 'end'];
const MEBIBYTE = 1024 * 1024;
const DEEP = 200;

const deep = `${'{"a":['.repeat(DEEP)}1${']}'.repeat(DEEP)}`;

const CASES: readonly ConformanceCase[] = [
  {
    id: 'limits/large-request',
    promise: 'A request of ten mebibytes, as pictures make them, reaches the provider whole.',
    sources: ['manifest-body-limit', 'kortix-body-limit'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context) => {
        const usual = request(context, { user: 'iVBORw0KGgo'.repeat(MEBIBYTE).slice(0, 10 * MEBIBYTE) });
        return [{ request: usual, answer: respond(context, usual, [say('A cat.')]) }];
      },
    },
  },
  {
    id: 'limits/large-response',
    promise: 'A whole response of ten mebibytes reaches the client.',
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context) => {
        const usual = request(context);
        return [{ request: usual, answer: respond(context, usual, [say('y'.repeat(10 * MEBIBYTE))]) }];
      },
    },
  },
  {
    id: 'limits/large-arguments',
    promise: 'A call with a mebibyte of arguments reaches the client, streamed in small pieces.',
    sources: ['unity-gateway-buffering'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context) => {
        const usual = request(context, { isStream: true });
        const pieces = ['{"text":"', ...Array.from({ length: 1_024 }, () => 'z'.repeat(1_024)), '"}'];
        return [{ request: usual, answer: respond(context, usual, [callTool('write_file', pieces)]) }];
      },
    },
  },
  {
    id: 'limits/deep-request',
    promise: 'A request nested four hundred levels deep reaches the provider.',
    sources: ['rfc8259-limits'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context) => {
        const usual = request(context);
        const nested = request(context, { edit: (body) => `{"x_deep":${deep},${body.slice(1)}` });
        return [{ request: nested, answer: respond(context, usual, [say('Yes.')]) }];
      },
    },
  },
  {
    id: 'limits/deep-response',
    promise: 'A response nested four hundred levels deep reaches the client.',
    sources: ['rfc8259-limits'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context) => {
        const usual = request(context);
        const answer = respond(context, usual, [say('Yes.')]);
        const text = `{"x_deep":${deep},${bodyOf(answer).toString('utf8').slice(1)}`;
        const body = bytes(text).steps;
        return [
          {
            request: usual,
            answer: withHeader({ ...answer, steps: body }, 'content-length', String(text.length)),
          },
        ];
      },
    },
  },
  {
    id: 'limits/many-messages',
    promise: 'A conversation of two thousand messages reaches the provider whole.',
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context) => {
        const usual = request(context);
        const long = request(context, {
          edit: (body) => JSON.stringify(repeatTurns(JSON.parse(body) as JsonObject, 1_000)),
        });
        return [{ request: long, answer: respond(context, usual, [say('Yes.')]) }];
      },
    },
  },
  {
    id: 'limits/many-tools',
    promise:
      'A request with four hundred tools is answered, once; all of them arrive, unless the gateway holds tools back.',
    sources: ['openai-chat'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'request-meaning-with-tools', 'status', 'response-meaning', 'end'],
      exchanges: (context) => {
        const tools = Array.from({ length: 400 }, (_, number) => {
          const tool = TOOLS[number % TOOLS.length]!;
          return { ...tool, name: `${tool.name}_${number}` };
        });
        const usual = request(context, { tools });
        return [{ request: usual, answer: respond(context, usual, [say('No tool is needed.')]) }];
      },
    },
  },
  {
    id: 'limits/long-response-header',
    promise: 'A response header of eight thousand characters reaches the client.',
    sources: ['rfc9110-field-limits'],
    formats: USUAL,
    play: {
      kind: 'exchanges',
      judges: ['status', 'response-headers', 'end'],
      exchanges: (context) => {
        const usual = request(context);
        const answer = respond(context, usual, [say('Yes.')]);
        return [{ request: usual, answer: withHeader(answer, 'x-long', 'v'.repeat(8_000)) }];
      },
    },
  },
  {
    id: 'limits/one-after-the-other',
    promise: 'Twenty requests in a row get their own responses.',
    sources: ['rfc9112-incomplete'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: (context) =>
        Array.from({ length: 20 }, (_, number) => {
          const usual = request(context, { user: `Number ${number}.`, isStream: number % 2 === 1 });
          return { request: usual, answer: respond(context, usual, [say(`This is ${number}.`)]) };
        }),
    },
  },
  {
    id: 'limits/one-connection',
    promise:
      'Requests on one connection arrive with headers of their own and get their own responses, also after errors.',
    sources: ['rfc9112-persistent'],
    formats: USUAL,
    play: {
      kind: 'exchanges',
      judges: [...SAME, 'request-headers'],
      keepsConnection: true,
      exchanges: (context) =>
        [200, 400, 200, 429, 413, 200].map((status, number) => {
          const usual = request(
            { ...context, headers: context.format.headers(`sk-${context.marker}-${number}`) },
            {
              user: status === 413 ? 'x'.repeat(MEBIBYTE) : `Number ${number}.`,
              isStream: number % 2 === 0,
              headers: [['x-number', String(number)]],
            },
          );
          const answer =
            status === 200
              ? respond(context, usual, [say(`This is ${number}.`)])
              : fail(context, usual, { status });
          return { request: usual, answer };
        }),
    },
  },
  {
    id: 'limits/at-once',
    promise: 'Sixteen clients at once get their own responses.',
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: [...SAME, 'request-headers', 'timing'],
      clients: 16,
      exchanges: (context) => {
        const own = [['x-client', context.marker] as const];
        const usual = request(context, { isStream: true, headers: own });
        const answer = respond(context, usual, [say('Yours is ', context.marker, ', yes.')]);
        return [{ request: usual, answer: withSteps(answer, eachSeen) }];
      },
    },
  },
];

/** Large, deep and numerous things pass as well. */
export const LIMITS: readonly ConformanceCase[] = CASES.map((one) => ({ ...one, isAlone: true }));

/** Repeats the first message of a request, with answers between, whatever its format calls the list. */
function repeatTurns(body: JsonObject, times: number): JsonObject {
  const [key, list] = Object.entries(body).find(
    ([name, value]) => ['messages', 'contents', 'input'].includes(name) && Array.isArray(value),
  ) as [string, JsonObject[]];
  const first = list[0]!;
  const said = { ...first, ...('role' in first && { role: key === 'contents' ? 'model' : 'assistant' }) };
  const turns = Array.from({ length: times }, () => [first, said]).flat();
  return { ...body, [key]: [...turns, first] };
}
