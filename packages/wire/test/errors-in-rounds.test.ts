import { describe, expect, test } from 'vitest';
import type { WireEvent } from '../src/framing/framing.ts';
import { jsonArray } from '../src/framing/json-array.ts';
import { sse } from '../src/framing/sse.ts';
import { invocationFixtures } from './anthropic-messages/bedrock/invocation-fixtures.ts';
import { messagesFixtures } from './anthropic-messages/messages-fixtures.ts';
import { converseFixtures } from './bedrock-converse/converse-fixtures.ts';
import { type FormatFixtures, pathOf } from './format-fixtures.ts';
import { bytesOf, ClientBody, decodeAll, encodeAll } from './frames.ts';
import { geminiFixtures } from './gemini/gemini-fixtures.ts';
import { interactionsFixtures } from './gemini-interactions/interactions-fixtures.ts';
import { ollamaFixtures } from './ollama-chat/ollama-fixtures.ts';
import { chatFixtures } from './openai-chat/chat-fixtures.ts';
import { responsesFixtures } from './openai-responses/responses-fixtures.ts';
import { planOf, viewOf } from './run-exchange.ts';

const FORMATS = {
  'Chat Completions': chatFixtures,
  Responses: responsesFixtures,
  Messages: messagesFixtures,
  InvokeModel: invocationFixtures,
  Converse: converseFixtures,
  'Gemini, events': geminiFixtures({ framing: sse, hasIds: true }),
  'Gemini, arrays': geminiFixtures({ framing: jsonArray, hasIds: false }),
  Interactions: interactionsFixtures,
  Ollama: ollamaFixtures,
} as const satisfies Record<string, FormatFixtures>;

/** Errors of servers, gateways and frameworks, of any format, with status 200. */
const SHAPES: readonly unknown[] = [
  { error: { message: 'Gone' } },
  { error: { code: 503, message: 'Gone', status: 'UNAVAILABLE' } },
  { error: { grpc_code: 14, http_code: 503, message: 'Gone', http_status: 'Service Unavailable' } },
  { error: 'Gone' },
  { error: true, message: 'Gone' },
  { error: 503, message: 'Gone' },
  { error: ['Gone'] },
  { err: 'Gone' },
  { errors: [{ message: 'Gone' }] },
  { errors: ['Gone'], success: false },
  { success: false, errors: [{ code: 1, message: 'Gone' }], result: null, messages: [] },
  { success: false, reason: 'Gone' },
  { detail: 'Gone' },
  { detail: [{ loc: ['body'], msg: 'Gone' }] },
  { message: 'Gone', code: 500 },
  { message: 'Gone' },
  { Message: 'Gone' },
  { code: 14, message: 'Gone', details: [] },
  { code: '1302', msg: 'Gone' },
  { error_code: 17, error_msg: 'Gone' },
  { type: 'error', message: 'Gone' },
  { type: 'error', error: { type: 'overloaded_error', message: 'Gone' } },
  { type: 'error', error: 'Gone' },
  { type: 'error', code: 'x', message: 'Gone', sequence_number: 3 },
  { type: 'response.error', error: { message: 'Gone' } },
  { type: 'response.failed', response: { error: { message: 'Gone' } } },
  { type: 'response.failed', error: { message: 'Gone' } },
  { type: 'stream_error', message: 'Gone' },
  { object: 'error', message: 'Gone', code: 400 },
  { object: 'error', message: 'Gone', choices: [] },
  { status: 'error', message: 'Gone' },
  { status: 500, title: 'Gone', type: 'about:blank' },
  { __type: 'ThrottlingException', message: 'Gone' },
  { fault: { faultstring: 'Gone' } },
  { base_resp: { status_code: 1013, status_msg: 'Gone' }, choices: null },
  { event_type: 'error', error: { message: 'Gone', code: 'x' } },
  { event_type: 'error', message: 'Gone' },
  { event: 'error', data: 'Gone' },
  { id: 'x', choices: [], error: { message: 'Gone' } },
  { candidates: [], error: { message: 'Gone' } },
  { candidates: [{ content: { parts: [] } }], error: { message: 'Gone' } },
  { message: { role: 'assistant', content: '' }, error: 'Gone', done: true },
  { message: { role: 'assistant', content: '' }, done: true, done_reason: 'error', error: 'Gone' },
  [{ error: { message: 'Gone' } }],
  ['Gone'],
  'Gone',
];

/** Errors that are no events: a gateway writes them into the stream that it has begun. */
const LINES = [
  '<html><body><h1>502 Gone</h1></body></html>\n',
  '{"error":{"message":"Gone"}}\n',
  '{\n  "error": {\n    "message": "Gone"\n  }\n}\n',
  'upstream connect error: Gone',
];

const textOf = (shape: unknown) => (typeof shape === 'string' ? shape : JSON.stringify(shape));

describe.each(Object.entries<FormatFixtures>(FORMATS))('%s: an error in any shape', (name, fixtures) => {
  const { format, framing, answers } = fixtures;
  const decode = (text: string) => decodeAll(framing, [bytesOf(framing, text)]);
  const play = (isStream: boolean, rounds: readonly (readonly WireEvent[])[]) => {
    const tools = ['weather_get', 'mail_send', 'a'].map((tool) => fixtures.writeTool(tool, 'x'));
    const view = viewOf(format, fixtures.writeRequest({ isStream, tools }), pathOf(fixtures, isStream));
    const joiner = format.joining.joinResponses(view, planOf(['weather_get', 'mail_send']));
    const body = new ClientBody(isStream, framing);
    const ends = rounds.map((round) => {
      for (const event of round) body.write(joiner.feed(event));
      return joiner.endRound();
    });
    const last = ends.at(-1)!;
    body.write(last.kind === 'failed' ? joiner.fail({ ...last, isSilent: false }) : joiner.finish());
    return { ends, text: body.end() };
  };
  const searching = decode(answers.search.stream);
  const wholeSearch: WireEvent = { kind: 'whole', text: answers.search.whole };
  /** The event in which a server of the format would send a text. */
  const eventOf = (data: string, event?: string): WireEvent[] => {
    const own = fixtures.writeData ? 'chunk' : framing.isText ? undefined : 'oddException';
    const written = fixtures.writeData?.(data) ?? data;
    const isError = own === 'oddException' && { isError: true as const };
    return decode(encodeAll(framing, [{ kind: 'event', name: event ?? own, data: written, ...isError }]));
  };
  const done = fixtures === FORMATS['Chat Completions'] ? decode('data: [DONE]\n\n') : [];
  const said = ({ text }: { text: string }) => {
    const { readData } = fixtures;
    return readData
      ? decode(text)
          .map((event) => (event.kind === 'event' ? readData(event.data) : ''))
          .join()
      : text;
  };
  const expectFailed = (run: ReturnType<typeof play>, what: string) => {
    expect(run.ends.at(-1), what).toMatchObject({ kind: 'failed' });
    expect(said(run), what).toContain('Gone');
  };

  test.each(framing === sse ? [undefined, 'error'] : [undefined])(
    'fails a hidden round of a stream, and is told in its words (event %s)',
    (event) => {
      for (const shape of SHAPES) {
        const run = play(true, [searching, [...eventOf(textOf(shape), event), ...done]]);
        expectFailed(run, textOf(shape));
        expect(() => fixtures.readStream(run.text), textOf(shape)).toThrow();
      }
    },
  );

  if (['Chat Completions', 'Gemini, events', 'Ollama'].includes(name)) {
    test('of a hidden round is one that clients know, and keeps the end marker behind it', () => {
      for (const shape of [...SHAPES, {}, null, true]) {
        const run = play(true, [searching, [...eventOf(textOf(shape)), ...done]]);
        const told = decode(run.text).flatMap((event) => (event.kind === 'event' ? event.data : []));
        const error = told.filter((data) => data !== '[DONE]').at(-1)!;
        expect(JSON.parse(error), textOf(shape)).toMatchObject({ error: expect.anything() });
      }
      if (done.length === 0) return;
      const first = play(true, [[...eventOf('{"error":"Gone"}'), ...done]]);
      expect(first.text).toMatch(/"Gone"\}\n\ndata: \[DONE\]\n\n$/);
    });
  }

  test('fails a hidden round in place of a stream, or as a whole response', () => {
    for (const shape of SHAPES) {
      const body: WireEvent = { kind: 'whole', text: textOf(shape) };
      expectFailed(play(true, [searching, [body]]), textOf(shape));
      const whole = play(false, [[wholeSearch], [body]]);
      expect(whole.ends.at(-1), textOf(shape)).toMatchObject({ kind: 'failed' });
      expect(whole.text, textOf(shape)).toContain('Gone');
    }
  });

  test('as the whole first response is given as it came', () => {
    for (const shape of SHAPES) {
      const text = textOf(shape);
      expect(play(false, [[{ kind: 'whole', text }]]).text).toBe(text);
    }
  });

  if (framing === sse) {
    test('that is no event of the stream fails a hidden round, and is told', () => {
      for (const line of LINES) expectFailed(play(true, [searching, decode(line)]), line);
    });
  }

  test('is none where the round goes on behind an event that the format does not know', () => {
    const odd = eventOf('{"vendor":"x"}', name === 'Converse' ? 'vendorEvent' : undefined);
    const events = odd.map((event) => (event.kind === 'event' ? { ...event, isError: undefined } : event));
    const run = play(true, [searching, [...events, ...decode(answers.text.stream)]]);
    expect(run.ends.at(-1)).toMatchObject({ kind: 'finished' });
  });
});

test.each([
  [
    'Messages',
    '{"type":"message","content":[],"stop_reason":null}',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  ['Responses', '{"output":[]}', 'data: {"type":"response.completed","response":{"output":[]}}\n\n'],
  [
    'Gemini, events',
    '{"candidates":[{"content":{"parts":[]}}]}',
    'data: {"candidates":[{"content":{"parts":[]}}]}\n\n',
  ],
  [
    'Ollama',
    '{"message":{"role":"assistant","content":""},"done":true}',
    '{"message":{"content":""},"done":true}\n',
  ],
] as const)(
  '%s: a hidden round without content, call and stop reason is not complete',
  (name, whole, stream) => {
    const fixtures: FormatFixtures = FORMATS[name];
    const { format, framing, answers } = fixtures;
    for (const isStream of [true, false]) {
      const tools = ['weather_get', 'mail_send', 'a'].map((tool) => fixtures.writeTool(tool, 'x'));
      const view = viewOf(format, fixtures.writeRequest({ isStream, tools }), pathOf(fixtures, isStream));
      const joiner = format.joining.joinResponses(view, planOf(['weather_get', 'mail_send']));
      const rounds = isStream
        ? [answers.search.stream, stream].map((text) => decodeAll(framing, [bytesOf(framing, text)]))
        : [answers.search.whole, whole].map((text): WireEvent[] => [{ kind: 'whole', text }]);
      const ends = rounds.map((round) => {
        for (const event of round) joiner.feed(event);
        return joiner.endRound().kind;
      });
      expect(ends).toEqual(['searching', 'failed']);
    }
  },
);
