import { describe, expect, test } from 'vitest';
import { matchRoute } from '../src/format/request-parts.ts';
import type { Keep } from '../src/format/response-joiner.ts';
import { type WireEvent, withData } from '../src/framing/framing.ts';
import { testAbandonedRounds } from './abandoned-rounds.ts';
import { testBridge } from './bridge-contract.ts';
import { testRandomCalls } from './bridge-random.ts';
import { testBridgeShapes } from './bridge-shapes.ts';
import { cutsOf } from './cuts.ts';
import {
  type AnswerName,
  type FormatFixtures,
  pathOf,
  SEARCH,
  type WrittenResponse,
} from './format-fixtures.ts';
import { bytesOf, ClientBody, decodeAll, encodeAll, textOf } from './frames.ts';
import { testRequestContract } from './request-contract.ts';
import { type ExchangeRun, planOf, runExchange, viewOf } from './run-exchange.ts';
import { testSpellings } from './spelling-contract.ts';

/** Tests the behaviour that all formats share. Each format runs it with its own fixtures. */
export function testFormatContract(fixtures: FormatFixtures): void {
  describe(`${fixtures.format.name} keeps the contract of formats`, () => {
    testRequestContract(fixtures);
    testRoutes(fixtures);
    testAnswers(fixtures, true);
    testAnswers(fixtures, false);
    testStreams(fixtures);
    testStrangeBodies(fixtures);
    testShortMemory(fixtures);
    testHiddenTurns(fixtures);
    testSpellings(fixtures);
    testAbandonedRounds(fixtures);
    testBridge(fixtures);
    testBridgeShapes(fixtures);
    testRandomCalls(fixtures);
  });
}

const NAMES = ['weather_get', 'mail_send', 'file_read'];

function testRoutes({ format, routes, otherRoutes }: FormatFixtures): void {
  test.each(routes)('handles %s %s', (method, path, purpose) => {
    expect(matchRoute(format.reading, method, path)).toBe(purpose);
  });

  test.each(otherRoutes)('leaves %s %s alone', (method, path) => {
    expect(matchRoute(format.reading, method, path)).toBeUndefined();
  });
}

function testAnswers(fixtures: FormatFixtures, isStream: boolean): void {
  const kind = isStream ? 'streamed' : 'whole';
  const said = (text: string) => plainText(fixtures, text);
  const read = (run: ExchangeRun) =>
    isStream ? fixtures.readStream(run.text) : fixtures.readWhole(run.text);
  const run = (...names: AnswerName[]) => runAnswers(fixtures, isStream, names);
  const call = { name: 'weather_get', arguments: { city: 'Zürich' } };

  test.each(['text', 'call', 'two_calls'] as const)(`${kind}: passes on unchanged: %s`, (name) => {
    const { text, ends } = run(name);
    const { stream, whole } = fixtures.answers[name];
    expect(text).toBe(isStream ? stream : whole);
    expect(ends).toMatchObject([{ kind: 'finished', turn: { searches: [] } }]);
  });

  test(`${kind}: reports the calls of an answer`, () => {
    expect(run('two_calls').ends).toMatchObject([
      { turn: { realCalls: [{ name: 'weather_get' }, { name: 'mail_send' }] } },
    ]);
  });

  test(`${kind}: joins a search and the next round, without a trace`, () => {
    const joined = run('search', 'call');
    const alone = { search: read(run('search')), call: read(run('call')) };
    expect(joined.ends).toMatchObject([
      { kind: 'searching', turn: { searches: [{ name: SEARCH, queries: ['weather'] }], realCalls: [] } },
      { kind: 'finished' },
    ]);
    expect(said(joined.text)).not.toContain(SEARCH);
    expect(read(joined)).toMatchObject({
      id: alone.search.id,
      text: alone.search.text + alone.call.text,
      calls: [call],
      stopReason: alone.call.stopReason,
    });
  });

  test(`${kind}: shows the input of the last round and the output of all, and knows the sum`, () => {
    const joined = run('search', 'two_searches', 'text');
    const { inputTokens, outputTokens } = fixtures.usage;
    const tripled = Object.entries(fixtures.usage).map(([name, count]) => [name, 3 * count]);
    expect(joined.usage).toEqual(Object.fromEntries(tripled));
    expect(read(joined)).toMatchObject({ inputTokens, outputTokens: 3 * outputTokens });
  });

  test(`${kind}: tells parallel searches apart`, () => {
    const { searches } = finished(run('two_searches'));
    expect(searches.map(({ queries }) => queries)).toEqual([['weather'], ['mail']]);
    expect(new Set(searches.map(({ id }) => id)).size).toBe(2);
  });

  test.each(['search_beside_call', 'call_beside_search'] as const)(
    `${kind}: gives out the real call, keeps the search: %s`,
    (name) => {
      const mixed = run(name);
      expect(said(mixed.text)).not.toContain(SEARCH);
      expect(read(mixed).calls).toMatchObject([call]);
      expect(read(mixed).calls).toHaveLength(1);
      expect(mixed.ends).toMatchObject([
        {
          kind: 'finished',
          turn: { searches: [{ queries: ['mail'] }], realCalls: [{ name: 'weather_get' }] },
        },
      ]);
    },
  );

  test.each(['search_beside_call', 'call_beside_search'] as const)(
    `${kind}: sends a real call that has the id of a search next to it: %s`,
    (name) => {
      const mixed = runResponses(fixtures, isStream, [withOneId(fixtures, name)]);
      const { searches, realCalls } = finished(mixed);
      expect(searches).toMatchObject([{ queries: ['mail'] }]);
      expect(realCalls).toMatchObject([{ name: 'weather_get' }]);
      expect(read(mixed).calls).toMatchObject([call]);
      expect(read(mixed).calls).toHaveLength(1);
    },
  );

  test(`${kind}: reads malformed arguments of a search as an empty query`, () => {
    expect(finished(run('malformed_search')).searches).toMatchObject([{ queries: [] }]);
  });

  test.each([fixtures.cutReason, ...fixtures.otherCutReasons])(
    `${kind}: drops a search that was cut off, and says why it ended: %s`,
    (reason) => {
      const cut = runResponses(fixtures, isStream, [cutFor(fixtures, reason)]);
      expect(cut.ends).toMatchObject([{ kind: 'finished', turn: { searches: [], realCalls: [] } }]);
      expect(finished(cut).message).not.toContain(SEARCH);
      expect(said(cut.text)).not.toContain(SEARCH);
      expect(read(cut)).toMatchObject({ calls: [], stopReason: reason });
    },
  );

  test(`${kind}: calls an empty later response truncated`, () => {
    const { search } = fixtures.answers;
    const view = viewOf(fixtures.format, requestOf(fixtures, isStream), pathOf(fixtures, isStream));
    const joiner = fixtures.format.joining.joinResponses(view, planOf(NAMES));
    const events: readonly WireEvent[] = isStream
      ? decodeAll(fixtures.framing, [bytesOf(fixtures.framing, search.stream)])
      : [{ kind: 'whole', text: search.whole }];
    for (const event of events) joiner.feed(event);
    expect(joiner.endRound()).toMatchObject({ kind: 'searching' });
    expect(joiner.endRound()).toMatchObject({ kind: 'failed', reason: 'truncated' });
  });

  test(`${kind}: never announces a missing call`, () => {
    const ended = run('search');
    expect(said(ended.text)).not.toContain(SEARCH);
    expect(read(ended).calls).toEqual([]);
    expect(read(ended).stopReason).toBe(read(run('text')).stopReason);
  });

  test(`${kind}: reports the same for an answer as in the other mode`, () => {
    const other = runAnswers(fixtures, !isStream, ['search', 'call_beside_search']);
    const readOther = isStream ? fixtures.readWhole(other.text) : fixtures.readStream(other.text);
    const { message, ...answer } = read(run('search', 'call_beside_search'));
    expect(readOther).toMatchObject(answer);
  });
}

function testStreams(fixtures: FormatFixtures): void {
  const { format, framing, answers } = fixtures;
  const said = (text: string) => plainText(fixtures, text);
  const view = viewOf(format, requestOf(fixtures, true), pathOf(fixtures, true));
  const run = (...responses: { stream: string; whole: string }[]) =>
    runExchange(format, view, responses, planOf(NAMES), framing);
  const joinPieces = (pieces: readonly (readonly Uint8Array[])[]) => {
    const joiner = format.joining.joinResponses(view, planOf(NAMES));
    const body = new ClientBody(true, framing);
    for (const round of pieces) {
      for (const event of decodeAll(framing, round)) body.write(joiner.feed(event));
      joiner.endRound();
    }
    body.write(joiner.finish());
    return body.end();
  };
  const bytesFor = (name: AnswerName) => bytesOf(framing, answers[name].stream);
  const wanted = joinPieces([[bytesFor('search')], [bytesFor('call_beside_search')]]);

  test('reads a stream the same, wherever it is cut', () => {
    const [first, second] = [bytesFor('search'), bytesFor('call_beside_search')] as const;
    const [firstCuts, secondCuts] = [cutsOf(first), cutsOf(second)];
    // Every place of both; the places of the shorter one are repeated.
    for (let nth = 0; nth < Math.max(firstCuts.length, secondCuts.length); nth++) {
      const ats = [firstCuts[nth % firstCuts.length]!, secondCuts[nth % secondCuts.length]!] as const;
      const cut = [first, second].map((bytes, round) => [
        bytes.subarray(0, ats[round]),
        bytes.subarray(ats[round]),
      ]);
      expect(joinPieces(cut), `cut at ${ats}`).toBe(wanted);
    }
  });

  test('reads a stream the same in single bytes', () => {
    const singles = (name: AnswerName) => Array.from(bytesFor(name), (byte) => Uint8Array.of(byte));
    expect(joinPieces([singles('search'), singles('call_beside_search')])).toBe(wanted);
  });

  test("returns the upstream's own events when nothing is hidden", () => {
    const joiner = format.joining.joinResponses(view, planOf(NAMES));
    const events = decodeAll(framing, [bytesFor('two_calls')]);
    const before = events.flatMap((event) => joiner.feed(event));
    joiner.endRound();
    const given = [...before, ...joiner.finish()];
    expect(given.every((event) => events.includes(event))).toBe(true);
  });

  test('returns text before the next event arrives', () => {
    const joiner = format.joining.joinResponses(view, planOf(NAMES));
    const early = bytesOf(framing, upToText(fixtures, 'Grüezi'));
    const seen = decodeAll(framing, [early]).flatMap((event) => joiner.feed(event));
    expect(said(encodeAll(framing, seen))).toContain('Grüezi');
  });

  test('calls a stream that ends early truncated, and tells the client', () => {
    const { ends, text } = run({ stream: upToText(fixtures, 'Grüezi'), whole: '' });
    expect(ends).toMatchObject([{ kind: 'failed', reason: 'truncated' }]);
    expect(said(text)).toContain('Grüezi');
    expect(() => fixtures.readStream(text)).toThrow();
  });

  test('passes on an error within a stream', () => {
    const early = upToText(fixtures, 'Grüezi');
    const error = fixtures.writeStreamError('Overloaded');
    const { ends, text } = run(answers.search, { stream: early + error, whole: '' });
    expect(ends[1]).toMatchObject({ kind: 'failed', reason: 'upstream_error' });
    expect(text.trimEnd().endsWith(error.trimEnd())).toBe(true);
  });

  test('does not pass on an error that names the search tool', () => {
    const error = fixtures.writeStreamError(`Invalid tool ${SEARCH}`);
    const { text } = run(answers.search, { stream: error, whole: '' });
    expect(said(text)).not.toContain(SEARCH);
    expect(() => fixtures.readStream(text)).toThrow();
  });

  test('holds back the end of an exchange that hides something until it is finished', () => {
    const joiner = format.joining.joinResponses(view, planOf(NAMES));
    const events = decodeAll(framing, [bytesFor('call_beside_search')]);
    const before = events.flatMap((event) => joiner.feed(event));
    joiner.endRound();
    expect(() => fixtures.readStream(encodeAll(framing, before))).toThrow();
    const all = encodeAll(framing, [...before, ...joiner.finish()]);
    expect(fixtures.readStream(all).calls).toHaveLength(1);
  });
}

function testStrangeBodies(fixtures: FormatFixtures): void {
  test('a stream after a whole response is joined with it, or is a failure', () => {
    const { format, framing, answers } = fixtures;
    const view = viewOf(format, requestOf(fixtures, false), pathOf(fixtures, false));
    const joiner = format.joining.joinResponses(view, planOf(NAMES));
    joiner.feed({ kind: 'whole', text: answers.search.whole });
    joiner.endRound();
    const events = decodeAll(framing, [bytesOf(framing, answers.text.stream)]);
    expect(events.flatMap((event) => joiner.feed(event))).toEqual([]);
    const end = joiner.endRound();
    const [body] = end.kind === 'failed' ? joiner.fail(end) : joiner.finish();
    const text = body?.kind === 'whole' ? body.text : '';
    if (end.kind === 'failed') expect(JSON.parse(text)).toBeTypeOf('object');
    else expect(fixtures.readWhole(text).text).toContain(fixtures.readWhole(answers.text.whole).text);
  });

  test('a body that is not a response does not reach the client if it names the search tool', () => {
    const { ends, text } = runResponses(fixtures, false, [{ stream: '', whole: `["${SEARCH}"]` }]);
    expect(ends).toMatchObject([{ kind: 'failed', reason: 'malformed_answer' }]);
    expect(text).not.toContain(SEARCH);
    expect(JSON.parse(text)).toBeTypeOf('object');
  });
}

function testShortMemory(fixtures: FormatFixtures): void {
  const { format, framing, answers } = fixtures;
  const said = (text: string) => plainText(fixtures, text);
  const view = viewOf(format, requestOf(fixtures, true), pathOf(fixtures, true));
  const runIn = (name: AnswerName, keep: Keep) => {
    const joiner = format.joining.joinResponses(view, planOf(NAMES), keep);
    const events = decodeAll(framing, [bytesOf(framing, answers[name].stream)]);
    const given = events.flatMap((event) => joiner.feed(event));
    const end = joiner.endRound();
    const last = end.kind === 'failed' ? joiner.fail(end) : joiner.finish();
    return { end, text: encodeAll(framing, [...given, ...last]) };
  };

  test.each(['text', 'call', 'two_calls'] as const)(
    'passes on what there is no memory to keep: %s',
    (name) => {
      const { end, text } = runIn(name, () => false);
      expect(text).toBe(answers[name].stream);
      expect(end).toMatchObject({ kind: 'finished', turn: { searches: [] } });
    },
  );

  test('abandons a search without memory for another round, without a trace', () => {
    const { end, text } = runIn('search', () => false);
    expect(end).toMatchObject({ kind: 'failed', reason: 'held_too_much' });
    expect(said(text)).not.toContain(SEARCH);
    expect(() => fixtures.readStream(text)).toThrow();
  });

  test('reserves memory for the text that it keeps', () => {
    let chars = 0;
    runIn('search', (more) => {
      chars += more;
      return true;
    });
    const said = JSON.stringify('Grüezi, 世界 👋');
    expect(chars).toBeGreaterThan(said.length);
  });
}

function testHiddenTurns(fixtures: FormatFixtures): void {
  const { format } = fixtures;
  const shapes: readonly AnswerName[][] = [
    ['search', 'text'],
    ['search', 'call'],
    ['search', 'two_searches', 'two_calls'],
    ['search_beside_call'],
    ['call_beside_search'],
    ['search', 'call_beside_search'],
  ];

  describe.each([true, false])('streamed: %s', (isStream) => {
    test.each(shapes.map((names) => [names]))('puts back hidden turns: %j', (names) => {
      const request = requestOf(fixtures, isStream);
      const view = viewOf(format, request, pathOf(fixtures, isStream));
      const run = runAnswers(fixtures, isStream, names);
      const hidden = JSON.parse(JSON.stringify(format.remembering.hideTurn(view, run.rounds)));
      const client = isStream ? fixtures.readStream(run.text) : fixtures.readWhole(run.text);
      const messages = [fixtures.writeUserMessage(QUESTION), ...fixtures.goOn(client)];
      const text = fixtures.writeRequest({ isStream, tools: toolsOf(fixtures), messages });
      const next = viewOf(format, text, pathOf(fixtures, isStream));
      const asked = { hiddenTurns: [], rounds: run.rounds.slice(0, -1) };
      const before = historyOf(fixtures, format.editing.editRequest(view, planOf(NAMES), asked));
      const after = historyOf(
        fixtures,
        format.editing.editRequest(next, planOf(NAMES), { hiddenTurns: [hidden], rounds: [] }),
      );
      const last = JSON.parse(run.rounds.at(-1)!.turn.message);
      // The upstream sees one history, which only grows.
      expect(after.slice(0, before.length)).toEqual(before);
      expect(comparable(after[before.length])).toEqual(comparable(last));
    });
  });

  test('leaves a turn alone that the client has changed', () => {
    const view = viewOf(format, requestOf(fixtures, true), pathOf(fixtures, true));
    const run = runAnswers(fixtures, true, ['search', 'call']);
    const hidden = format.remembering.hideTurn(view, run.rounds)!;
    const client = fixtures.readStream(run.text);
    const changed = { ...client, message: client.message.replace('Zürich', 'Bern') };
    const messages = [fixtures.writeUserMessage(QUESTION), ...fixtures.goOn(changed)];
    const text = fixtures.writeRequest({ isStream: false, tools: toolsOf(fixtures), messages });
    const next = viewOf(format, text, fixtures.path);
    const nothing = { ...planOf([]), searchTool: undefined };
    expect(format.editing.editRequest(next, nothing, { hiddenTurns: [hidden], rounds: [] })).toBe(
      next.bytes.whole,
    );
  });

  test('hides nothing when the client saw everything', () => {
    const view = viewOf(format, requestOf(fixtures, true), pathOf(fixtures, true));
    expect(
      format.remembering.hideTurn(view, runAnswers(fixtures, true, ['two_calls']).rounds),
    ).toBeUndefined();
  });
}

/** Returns the content of a body in any framing: the body itself if it is whole or a stream of text. */
function plainText(fixtures: FormatFixtures, text: string): string {
  const { framing } = fixtures;
  if (framing.isText || text.startsWith('{')) return text;
  const events = decodeAll(framing, [bytesOf(framing, text)]);
  return events.map((event) => (event.kind === 'event' ? readable(fixtures, event.data) : '')).join('\n');
}

function readable({ readData = (data) => data }: FormatFixtures, data: string): string {
  return readData(data);
}

const QUESTION = 'How is the weather in Zürich?';

function toolsOf({ writeTool }: FormatFixtures): string[] {
  return NAMES.map((name) => writeTool(name, `Does ${name}.`));
}

function requestOf(fixtures: FormatFixtures, isStream: boolean): string {
  const messages = [fixtures.writeUserMessage(QUESTION)];
  return fixtures.writeRequest({ isStream, tools: toolsOf(fixtures), messages });
}

function runAnswers(fixtures: FormatFixtures, isStream: boolean, names: readonly AnswerName[]): ExchangeRun {
  return runResponses(
    fixtures,
    isStream,
    names.map((name) => fixtures.answers[name]),
  );
}

function runResponses(
  fixtures: FormatFixtures,
  isStream: boolean,
  responses: readonly WrittenResponse[],
): ExchangeRun {
  const { format, framing } = fixtures;
  const view = viewOf(format, requestOf(fixtures, isStream), pathOf(fixtures, isStream));
  return runExchange(format, view, responses, planOf(['weather_get', 'mail_send']), framing);
}

/** An answer whose search has the id of its call, as from servers with their own numbering. */
function withOneId(fixtures: FormatFixtures, name: AnswerName): WrittenResponse {
  const { searches, realCalls } = finished(runAnswers(fixtures, true, [name]));
  const [search, real] = [JSON.stringify(searches[0]!.id), JSON.stringify(realCalls[0]!.id)];
  return rewritten(fixtures, name, (text) => text.replaceAll(search, real));
}

/** Returns the response whose search was cut off, with another stop reason. */
function cutFor(fixtures: FormatFixtures, reason: string): WrittenResponse {
  const [from, to] = [JSON.stringify(fixtures.cutReason), JSON.stringify(reason)];
  return rewritten(fixtures, 'cut_search', (text) => text.replace(from, to));
}

/** Returns an answer with changed texts, in any framing. */
function rewritten(
  { framing, answers, ...fixtures }: FormatFixtures,
  name: AnswerName,
  change: (text: string) => string,
): WrittenResponse {
  const { readData = same, writeData = same } = fixtures;
  const { stream, whole } = answers[name];
  if (framing.isText) return { stream: change(stream), whole: change(whole) };
  const events = decodeAll(framing, [bytesOf(framing, stream)]).map((event) =>
    event.kind === 'event' ? withData(event, writeData(change(readData(event.data)))) : event,
  );
  return { stream: encodeAll(framing, events), whole: change(whole) };
}

function same(data: string): string {
  return data;
}

function finished({ ends }: ExchangeRun) {
  const end = ends.at(-1)!;
  if (end.kind === 'failed') throw new Error(end.reason);
  return end.turn;
}

/**
 * Returns the streamed text up to the end of the event that contains these words, as if the upstream had
 * broken off there.
 */
function upToText(fixtures: FormatFixtures, words: string): string {
  const { framing, answers } = fixtures;
  const events = decodeAll(framing, [bytesOf(framing, answers.text.stream)]);
  const at = events.findIndex(
    (event) => event.kind === 'event' && readable(fixtures, event.data).includes(words),
  );
  const encoder = framing.createEncoder();
  return textOf(framing, encoder.encode(events.slice(0, at + 1)));
}

function historyOf({ historyIn }: FormatFixtures, bytes: Uint8Array): readonly unknown[] {
  return historyIn(JSON.parse(new TextDecoder().decode(bytes)));
}

/** Returns a message without its null fields. */
function comparable(message: unknown): unknown {
  const fields = Object.entries(message as Record<string, unknown>);
  return Object.fromEntries(fields.filter(([, value]) => value !== null));
}
