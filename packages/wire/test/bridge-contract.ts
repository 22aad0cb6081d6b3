import { describe, expect, inject, test } from 'vitest';
import type { HiddenTurn, Plan, RequestView, Round, SearchCall, SearchResult } from '../src/index.ts';
import {
  type AnswerToWrite,
  BRIDGE,
  type ClientAnswer,
  type FormatFixtures,
  pathOf,
  SEARCH,
} from './format-fixtures.ts';
import { bytesOf, ClientBody, decodeAll } from './frames.ts';
import { foundFor, planOf, runExchange, viewOf } from './run-exchange.ts';

export type WrittenCall = AnswerToWrite['calls'][number];

const INPUT = '{"city": "Zürich \\" \\\\ } 世界", "days": 2}';
export const WEATHER = { id: 'call_1', name: 'weather_get', arguments: INPUT };
export const MAIL = { id: 'call_2', name: 'mail_send', arguments: '{"to":"ada"}' };
export const SEARCHING = { id: 'call_3', name: SEARCH, arguments: '{"query":"mail"}' };
export const UNKNOWN = bridged({ id: 'call_4', name: 'no_such_tool', arguments: '{}' });

/** Returns a call through the bridge tool, as models write it. */
export function bridged({ id, name, arguments: inner }: WrittenCall): WrittenCall {
  const gap = inner.includes('": ') ? ' ' : '';
  return {
    id,
    name: BRIDGE,
    arguments: `{"name":${gap}"${name}",${gap}"arguments":${gap}${inner}}`,
  };
}

/** Tests bridge mode, in which the client sees the same objects as without Winnow. */
export function testBridge(fixtures: FormatFixtures): void {
  const { writeAnswer } = fixtures;
  if (writeAnswer === undefined) return;
  describe('calls through the bridge tool', () => {
    testCalls(fixtures, writeAnswer);
    testRefusals(fixtures, writeAnswer);
    testConversations(fixtures, writeAnswer);
  });
}

export type Write = NonNullable<FormatFixtures['writeAnswer']>;

function testCalls(fixtures: FormatFixtures, write: Write): void {
  const read = (answers: readonly AnswerToWrite[], isStream: boolean, load: readonly string[] = []) =>
    withoutTrace(
      fixtures,
      answers.map(write),
      isStream,
      planOf(['weather_get', 'mail_send'], load, 'bridge'),
    );

  describe.each([true, false])('streamed: %s', (isStream) => {
    test.each([[[WEATHER]], [[MAIL, WEATHER]], [[WEATHER, MAIL, { ...MAIL, id: 'call_5' }]]])(
      'are calls of the tools, with their ids and arguments: %#',
      (calls) => {
        const answer = { id: 'response_1', text: 'I ask. ', calls };
        const direct = read([answer], isStream);
        const through = read([{ ...answer, calls: calls.map(bridged) }], isStream);
        expect(through).toEqual(direct);
      },
    );

    test.each([
      ['arguments first', '{"arguments":{"city":"Bern"}, "name":"weather_get"}'],
      ['a string of JSON', '{"name":"weather_get","arguments":"{\\"city\\":\\"Bern\\"}"}'],
      ['members next to the name', '{"name":"weather_get","city":"Bern"}'],
      ['a prefix', '{"name":"functions.weather_get","arguments":{"city":"Bern"}}'],
      ['escapes', '{"n\\u0061me":"weather\\u005fget","arguments":{"city":"Bern"}}'],
    ])('are understood with %s', (_, text) => {
      const answer = { id: 'response_1', calls: [{ ...WEATHER, name: BRIDGE, arguments: text }] };
      const { calls } = read([answer], isStream);
      expect(calls).toMatchObject([{ name: 'weather_get', arguments: { city: 'Bern' } }]);
    });

    test.each([['{"name":"weather_get"}'], ['{"name":"weather_get","arguments":null}']])(
      'may have no arguments: %s',
      (text) => {
        const answer = { id: 'response_1', calls: [{ ...WEATHER, name: BRIDGE, arguments: text }] };
        expect(read([answer], isStream).calls).toMatchObject([{ name: 'weather_get', arguments: {} }]);
      },
    );

    test.each([
      [[SEARCHING, bridged(WEATHER)]],
      [[bridged(WEATHER), SEARCHING]],
      [[bridged({ ...SEARCHING, id: 'call_6' }), bridged(WEATHER)]],
    ])('stand next to a search: %#', (calls) => {
      const answer = { id: 'response_1', calls };
      // A signature may stand on the first call alone, so the messages differ.
      const { message, ...seen } = read([answer], isStream);
      const { message: _, ...direct } = read([{ id: 'response_1', calls: [WEATHER] }], isStream);
      expect(seen).toEqual(direct);
    });

    test('follow a search', () => {
      const rounds = [
        { id: 'response_1', text: 'Let me look. ', calls: [SEARCHING] },
        { id: 'response_2', calls: [bridged(MAIL)] },
      ];
      const { id, text, calls } = read(rounds, isStream);
      expect({ id, text, calls }).toMatchObject({
        text: 'Let me look. ',
        calls: [{ name: 'mail_send', arguments: { to: 'ada' } }],
      });
    });

    test('that a token limit cuts off before the end of their name are dropped', () => {
      const cut = {
        id: 'response_1',
        text: 'I ask.',
        calls: [{ ...WEATHER, name: BRIDGE, arguments: '{"na' }],
      };
      const { calls, stopReason } = read([{ ...cut, isCut: true }], isStream);
      expect({ calls, stopReason }).toEqual({ calls: [], stopReason: fixtures.cutReason });
    });
  });

  test('read the same wherever the arguments are cut', () => {
    const call = bridged(WEATHER);
    const whole = read([{ id: 'response_1', calls: [call, bridged(MAIL)] }], true);
    const places = Array.from({ length: call.arguments.length - 1 }, (_, index) => index + 1);
    for (const at of inject('isExhaustive') ? places : places.filter((place) => place % 23 === 1)) {
      const piecesOf = (text: string) => [text.slice(0, at), text.slice(at)];
      for (const load of [[], ['weather_get']]) {
        const answer = { id: 'response_1', calls: [call, bridged(MAIL)], piecesOf };
        expect(read([answer], true, load), `cut at ${at}`).toEqual(whole);
      }
    }
  });

  test('read the same when their pieces alternate', () => {
    const answer = { id: 'response_1', calls: [bridged(WEATHER), bridged(MAIL)] };
    const piecesOf = (text: string) => [...text];
    const alternating = { ...answer, piecesOf, isAlternating: true };
    expect(read([alternating], true, ['mail_send'])).toEqual(read([answer], true));
  });

  if (fixtures.hasWholeCalls !== true) {
    test('flow when the model has read the definition', () => {
      const flowing = firstEventWith(fixtures, write, 'Zürich', ['weather_get']);
      const held = firstEventWith(fixtures, write, 'Zürich', []);
      expect(flowing).toBeLessThan(held);
    });
  }

  test('leave no trace in a stream that breaks off anywhere', () => {
    const calls = [bridged(WEATHER), SEARCHING, bridged(MAIL)];
    const { stream } = write({ id: 'response_1', text: 'I ask.', calls });
    const events = decodeAll(fixtures.framing, [bytesOf(fixtures.framing, stream)]);
    for (let count = 0; count < events.length; count += 1) {
      const joiner = joinerFor(fixtures, true);
      const body = new ClientBody(true, fixtures.framing);
      for (const event of events.slice(0, count)) body.write(joiner.feed(event));
      const end = joiner.endRound();
      body.write(end.kind === 'failed' ? joiner.fail(end) : joiner.finish());
      expect(readable(fixtures, body.end()), `${count} events`).not.toMatch(/gateway_/);
    }
  });
}

function testRefusals(fixtures: FormatFixtures, write: Write): void {
  const plan = planOf(['weather_get', 'mail_send'], [], 'bridge');
  const run = (answers: readonly AnswerToWrite[], isStream: boolean) =>
    runExchange(fixtures.format, viewFor(fixtures, isStream), answers.map(write), plan, fixtures.framing);

  describe.each([true, false])('streamed: %s', (isStream) => {
    test('that cannot work are answered in a hidden round', () => {
      const rounds = [
        { id: 'response_1', calls: [UNKNOWN] },
        { id: 'response_2', calls: [bridged(WEATHER)] },
      ];
      const { ends, text } = run(rounds, isStream);
      expect(ends).toMatchObject([
        { kind: 'searching', turn: { searches: [{ name: BRIDGE, input: { name: 'no_such_tool' } }] } },
        { kind: 'finished', turn: { realCalls: [{ name: 'weather_get' }] } },
      ]);
      expect(readable(fixtures, text)).not.toMatch(/gateway_/);
    });

    test('that cannot work stay hidden next to those that can', () => {
      const { ends, text } = run([{ id: 'response_1', calls: [UNKNOWN, bridged(WEATHER)] }], isStream);
      expect(ends).toMatchObject([
        { kind: 'finished', turn: { searches: [{ name: BRIDGE }], realCalls: [{ name: 'weather_get' }] } },
      ]);
      expect(readAnswer(fixtures, text, isStream).calls).toMatchObject([{ name: 'weather_get' }]);
      expect(readable(fixtures, text)).not.toMatch(/gateway_/);
    });

    test('go out under the name that the model wrote after two refusals', () => {
      const rounds = ['1', '2', '3'].map((nth) => ({ id: `response_${nth}`, calls: [UNKNOWN] }));
      const { ends, text } = run(rounds, isStream);
      expect(ends.map(({ kind }) => kind)).toEqual(['searching', 'searching', 'finished']);
      expect(readAnswer(fixtures, text, isStream).calls).toMatchObject([{ name: 'no_such_tool' }]);
    });
  });
}

/** Tests that every request of a conversation begins like the one before. */
function testConversations(fixtures: FormatFixtures, write: Write): void {
  const { format } = fixtures;
  const plan = planOf(['weather_get', 'mail_send'], [], 'bridge');
  const answersOf: readonly (readonly AnswerToWrite[])[] = [
    [
      { id: 'response_1', calls: [SEARCHING] },
      { id: 'response_2', calls: [bridged(WEATHER), bridged(MAIL)] },
    ],
    [{ id: 'response_3', calls: [UNKNOWN, bridged({ ...MAIL, id: 'call_7' })] }],
    [
      {
        id: 'response_4',
        calls: [
          { id: 'call_8', name: BRIDGE, arguments: '{"arguments":{"city":"Bern"}, "name":"weather_get"}' },
        ],
      },
    ],
    [{ id: 'response_5', calls: [{ ...WEATHER, id: 'call_9' }] }],
  ];

  test.each([true, false])('keep the beginning of the next request as it was (streamed: %s)', (isStream) => {
    const messages = [fixtures.writeUserMessage('How is the weather?')];
    const hiddenTurns: HiddenTurn[] = [];
    let before: readonly unknown[] = [];
    for (const answers of answersOf) {
      const view = viewFor(fixtures, isStream, messages);
      const { rounds, text, ends } = runExchange(format, view, answers.map(write), plan, fixtures.framing);
      const answered = rounds.map(({ turn }) => ({ turn, results: turn.searches.map(answerFor) }));
      for (const count of answered.keys()) {
        before = extended(
          fixtures,
          before,
          edited(fixtures, view, plan, hiddenTurns, answered.slice(0, count)),
        );
      }
      expect(ends.at(-1)!.kind).toBe('finished');
      const hidden = format.remembering.hideTurn(view, answered);
      if (hidden) hiddenTurns.push(JSON.parse(JSON.stringify(hidden)));
      messages.push(...fixtures.goOn(readAnswer(fixtures, text, isStream)));
    }
    const last = viewFor(fixtures, isStream, messages);
    const body = edited(fixtures, last, plan, hiddenTurns, []);
    extended(fixtures, before, body);
    // The model reads its own calls again, in the form in which it wrote them.
    for (const { arguments: said, name } of answersOf.flat().flatMap(({ calls }) => calls)) {
      expect(JSON.stringify(fixtures.historyIn(body))).toContain(JSON.stringify(name));
      if (fixtures.keepsArguments) expect(JSON.stringify(body)).toContain(JSON.stringify(said));
    }
  });

  test('without its notes, a history has the canonical calls', () => {
    const answer = readAnswer(
      fixtures,
      runExchange(format, viewFor(fixtures, false), [write({ id: 'response_1', calls: [WEATHER] })], plan)
        .text,
      false,
    );
    const messages = [fixtures.writeUserMessage('How is the weather?'), ...fixtures.goOn(answer)];
    const body = JSON.stringify(edited(fixtures, viewFor(fixtures, false, messages), plan, [], []));
    expect(body).toContain(JSON.stringify(BRIDGE));
    expect(body).toContain('Zürich');
  });

  test('in a history that is not edited stay calls of the real tools', () => {
    const view = viewFor(fixtures, false);
    const nothing: Plan = { ...planOf([]), searchTool: undefined };
    expect(format.editing.editRequest(view, nothing, { hiddenTurns: [], rounds: [] })).toBe(view.bytes.whole);
  });
}

/** The answer of the proxy to a search or a refused call. */
function answerFor(call: SearchCall): SearchResult {
  if (call.name !== BRIDGE)
    return { ...foundFor(call), tools: [{ name: 'mail_send', description: 'Sends.' }] };
  return { callId: call.id, kind: 'answered', tools: [], text: 'No such tool.', isError: true };
}

function edited(
  { format }: FormatFixtures,
  view: RequestView,
  plan: Plan,
  hiddenTurns: readonly HiddenTurn[],
  rounds: readonly Round[],
): Record<string, unknown> {
  return JSON.parse(
    new TextDecoder().decode(format.editing.editRequest(view, plan, { hiddenTurns, rounds })),
  );
}

/** Returns the history of a request, which begins with the one before. */
function extended(
  fixtures: FormatFixtures,
  before: readonly unknown[],
  body: Record<string, unknown>,
): readonly unknown[] {
  const history = fixtures.historyIn(body);
  expect(history.slice(0, before.length)).toEqual(before);
  expect(fixtures.toolNamesIn(body)).toEqual(['file_read', SEARCH, BRIDGE]);
  return history;
}

/** Returns what the client reads, after checking that it sees nothing of our tools. */
export function withoutTrace(
  fixtures: FormatFixtures,
  answers: readonly { readonly stream: string; readonly whole: string }[],
  isStream: boolean,
  plan: Plan,
): Omit<ClientAnswer, 'message'> & { readonly message: unknown } {
  const view = viewFor(fixtures, isStream);
  const { text } = runExchange(fixtures.format, view, answers, plan, fixtures.framing);
  expect(readable(fixtures, text)).not.toMatch(/gateway_/);
  const answer = readAnswer(fixtures, text, isStream);
  return { ...answer, message: JSON.parse(`[${answer.message}]`) };
}

export function viewFor(
  fixtures: FormatFixtures,
  isStream: boolean,
  messages: readonly string[] = [fixtures.writeUserMessage('How is the weather?')],
  more: readonly string[] = [],
): RequestView {
  const tools = ['weather_get', 'mail_send', ...more, 'file_read'].map((name) =>
    fixtures.writeTool(name, 'Does.'),
  );
  return viewOf(
    fixtures.format,
    fixtures.writeRequest({ isStream, tools, messages }),
    pathOf(fixtures, isStream),
  );
}

function joinerFor(fixtures: FormatFixtures, isStream: boolean, load: readonly string[] = []) {
  const plan = planOf(['weather_get', 'mail_send'], load, 'bridge');
  return fixtures.format.joining.joinResponses(viewFor(fixtures, isStream), plan);
}

/** Returns the number of the event with which the client gets this text. */
function firstEventWith(
  fixtures: FormatFixtures,
  write: Write,
  text: string,
  load: readonly string[],
): number {
  const { stream } = write({ id: 'response_1', calls: [bridged(WEATHER)], piecesOf: (all) => [...all] });
  const joiner = joinerFor(fixtures, true, load);
  const body = new ClientBody(true, fixtures.framing);
  const events = decodeAll(fixtures.framing, [bytesOf(fixtures.framing, stream)]);
  return events.findIndex((event) => {
    body.write(joiner.feed(event));
    return readable(fixtures, body.text).includes(text.at(0)!);
  });
}

export function readAnswer(fixtures: FormatFixtures, text: string, isStream: boolean): ClientAnswer {
  return isStream ? fixtures.readStream(text) : fixtures.readWhole(text);
}

export function readable({ framing, readData = (data) => data }: FormatFixtures, text: string): string {
  if (framing.isText || text.startsWith('{')) return text;
  const events = decodeAll(framing, [bytesOf(framing, text)]);
  return events.map((event) => (event.kind === 'event' ? readData(event.data) : '')).join('\n');
}
