import { describe, expect, test } from 'vitest';
import {
  bridged,
  MAIL,
  readAnswer,
  readable,
  SEARCHING,
  UNKNOWN,
  viewFor,
  WEATHER,
  type Write,
  type WrittenCall,
} from './bridge-contract.ts';
import { type AnswerToWrite, BRIDGE, type FormatFixtures } from './format-fixtures.ts';
import { bytesOf, ClientBody, decodeAll } from './frames.ts';
import { planOf, runExchange } from './run-exchange.ts';

const DEFERRED = ['weather_get', 'mail_send'];

/** Our names; some servers have errors with similar ones. */
const TRACES = /gateway_(?:call|search)/;

/** A name that no provider accepts, but that some servers do. */
const ODD_NAME = 'wetter_über.世界';

/** Tests bridge mode with what models and servers write at their worst. */
export function testBridgeShapes(fixtures: FormatFixtures): void {
  const { writeAnswer } = fixtures;
  if (writeAnswer === undefined) return;
  describe.each([true, false])('odd calls through the bridge tool (streamed: %s)', (isStream) => {
    testShapes(fixtures, { write: writeAnswer, isStream });
    testEnds(fixtures, { write: writeAnswer, isStream });
  });
}

interface Way {
  readonly write: Write;
  readonly isStream: boolean;
}

/** The client's side of an exchange, after checking that it shows nothing of our tools. */
function play(fixtures: FormatFixtures, { write, isStream }: Way, answers: readonly AnswerToWrite[]) {
  const defer = [...DEFERRED, ODD_NAME];
  const view = viewFor(fixtures, isStream, undefined, [ODD_NAME]);
  const plan = planOf(defer, [], 'bridge');
  const run = runExchange(fixtures.format, view, answers.map(write), plan, fixtures.framing);
  expect(readable(fixtures, run.text)).not.toMatch(TRACES);
  return { ...run, view, answer: readAnswer(fixtures, run.text, isStream) };
}

function testShapes(fixtures: FormatFixtures, way: Way): void {
  const callsOf = (...calls: readonly WrittenCall[]) =>
    play(fixtures, way, [{ id: 'response_1', calls }]).answer.calls;
  const written = (text: string) => ({ ...WEATHER, name: BRIDGE, arguments: text });

  test.each([
    ['other members', '{"name":"weather_get","arguments":{"city":"Bern"},"reason":"asked"}'],
    [
      'the bridge tool',
      `{"name":"${BRIDGE}","arguments":{"name":"weather_get","arguments":{"city":"Bern"}}}`,
    ],
    ['white space', '\n{ "name" :\t"weather_get" ,\r\n "arguments" : {"city":"Bern"} }\n'],
  ])('are understood with %s', (_, text) => {
    expect(callsOf(written(text))).toMatchObject([{ name: 'weather_get', arguments: { city: 'Bern' } }]);
  });

  test.each([100, 400])('may nest their arguments %i deep', (depth) => {
    const call = { ...WEATHER, arguments: `{"city":${'['.repeat(depth)}"Bern"${']'.repeat(depth)}}` };
    const text = (calls: unknown) => JSON.stringify(calls);
    expect(text(callsOf(bridged(call)))).toBe(text(callsOf(call)));
  });

  test('may name a tool in any script, escaped or not', () => {
    const call = { ...WEATHER, name: ODD_NAME, arguments: '{}' };
    const escaped = ODD_NAME.replaceAll(/[^ -~]/g, (one) => {
      return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
    expect(callsOf(bridged(call))).toEqual(callsOf(call));
    expect(callsOf(written(`{"name":"${escaped}","arguments":{}}`))).toEqual(callsOf(call));
  });

  test('reach a tool that is visible', () => {
    const call = { ...WEATHER, name: 'file_read' };
    expect(callsOf(bridged(call))).toEqual(callsOf(call));
  });

  test('are not needed for a tool that is held back', () => {
    expect(callsOf(WEATHER, bridged(MAIL))).toEqual(callsOf(WEATHER, MAIL));
  });

  test.each([['call_1'], ['']])('may share an id: %j', (id) => {
    const both = [WEATHER, MAIL].map((call) => ({ ...call, id }));
    expect(callsOf(...both.map(bridged))).toEqual(callsOf(...both));
  });

  test('stand among searches, refused calls and direct calls', () => {
    const read = { id: 'call_5', name: 'file_read', arguments: '{}' };
    const mixed = [SEARCHING, bridged(WEATHER), UNKNOWN, read, { ...SEARCHING, id: 'call_6' }, bridged(MAIL)];
    const names = callsOf(...mixed).map(({ name }) => name);
    expect(names).toEqual(['weather_get', 'file_read', 'mail_send']);
  });

  test.each([
    '{"name":"weather_get","arguments":[1]}',
    '{"name":"weather_get","arguments":"no object"}',
    '{"name":7,"arguments":{}}',
    '["weather_get"]',
    '"weather_get"',
    'null',
    'no json',
    '',
  ])('that cannot work are answered twice, and not shown: %j', (text) => {
    const refused = ['1', '2'].map((nth) => ({ id: `response_${nth}`, calls: [written(text)] }));
    const { ends, answer } = play(fixtures, way, [...refused, { id: 'response_3', text: 'No.', calls: [] }]);
    expect(ends.map(({ kind }) => kind)).toEqual(['searching', 'searching', 'finished']);
    expect(answer).toMatchObject({ text: 'No.', calls: [] });
  });

  test('go out as ordinary calls when they are refused no more', () => {
    for (const given of ['[1]', '"no object"']) {
      const calls = [written(`{"name":"weather_get","arguments":${given}}`)];
      const rounds = ['1', '2', '3'].map((nth) => ({ id: `response_${nth}`, calls }));
      const { answer } = play(fixtures, way, rounds);
      expect(answer.calls, given).toMatchObject([{ name: 'weather_get' }]);
    }
  });
}

function testEnds(fixtures: FormatFixtures, way: Way): void {
  const { write, isStream } = way;
  const cut = (calls: readonly WrittenCall[]) =>
    play(fixtures, way, [{ id: 'response_1', text: 'I ask.', calls, isCut: true }]).answer;

  if (fixtures.keepsArguments)
    test('that a token limit cuts off are cut-off calls of the tools', () => {
      const given = '{"city":"Zü';
      const asked = [given, `{"name":"weather_get","arguments":${given}`].map((text, at) => {
        const call = { ...WEATHER, arguments: text, ...(at === 1 && { name: BRIDGE }) };
        const answers = [write({ id: 'response_1', text: 'I ask.', calls: [call], isCut: true })];
        const { framing } = fixtures;
        return runExchange(
          fixtures.format,
          viewFor(fixtures, isStream),
          answers,
          planOf(DEFERRED, [], 'bridge'),
          framing,
        );
      });
      const [direct, through] = asked;
      expect(through!.ends).toMatchObject([
        { kind: 'finished', turn: { realCalls: [{ name: 'weather_get' }] } },
      ]);
      expect(through!.text).not.toMatch(TRACES);
      if (!isStream) expect(JSON.parse(through!.text)).toEqual(JSON.parse(direct!.text));
    });

  test('leave what stood before them where a token limit cuts them off', () => {
    const { calls, text, stopReason } = cut([bridged(MAIL), { ...WEATHER, name: BRIDGE, arguments: '{"na' }]);
    expect({ calls: calls.map(({ name }) => name), text, stopReason }).toEqual({
      calls: ['mail_send'],
      text: 'I ask.',
      stopReason: fixtures.cutReason,
    });
  });

  // In a list, an error continues what stands before it.
  if (!isStream || fixtures.writeStreamError('').startsWith(',')) return;
  test('end with an error of the server', () => {
    const { framing } = fixtures;
    const { stream } = write({ id: 'response_1', text: 'I ask.', calls: [bridged(WEATHER), UNKNOWN] });
    const events = decodeAll(framing, [bytesOf(framing, stream)]);
    const error = decodeAll(framing, [bytesOf(framing, fixtures.writeStreamError('Overloaded.'))]);
    for (let count = 1; count < events.length; count += 1) {
      const joiner = fixtures.format.joining.joinResponses(
        viewFor(fixtures, true),
        planOf(DEFERRED, [], 'bridge'),
      );
      const body = new ClientBody(true, framing);
      for (const event of [...events.slice(0, count), ...error]) body.write(joiner.feed(event));
      const end = joiner.endRound();
      body.write(end.kind === 'failed' ? joiner.fail(end) : joiner.finish());
      const seen = readable(fixtures, body.end());
      expect(seen, `${count} events`).not.toMatch(TRACES);
      expect(seen, `${count} events`).toContain('Overloaded.');
    }
  });
}
