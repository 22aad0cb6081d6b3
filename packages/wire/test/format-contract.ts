import { describe, expect, test } from 'vitest';
import { type AnswerName, type FormatFixtures, SEARCH } from './format-fixtures.ts';
import { testRequestContract } from './request-contract.ts';
import { decodeStream, type ExchangeRun, planOf, runExchange, viewOf } from './run-exchange.ts';

/** The behaviour that every format has in common. Each format runs it with its own fixtures. */
export function testFormatContract(fixtures: FormatFixtures): void {
  describe(`${fixtures.format.name} keeps the contract of formats`, () => {
    testRequestContract(fixtures);
    testRoutes(fixtures);
    testAnswers(fixtures, true);
    testAnswers(fixtures, false);
    testStreams(fixtures);
    testHiddenTurns(fixtures);
  });
}

const NAMES = ['weather_get', 'mail_send', 'file_read'];

function testRoutes({ format, routes, otherRoutes }: FormatFixtures): void {
  test.each(routes)('handles %s %s', (method, path, purpose) => {
    expect(format.matchRoute(method, path)).toBe(purpose);
  });

  test.each(otherRoutes)('leaves %s %s alone', (method, path) => {
    expect(format.matchRoute(method, path)).toBeUndefined();
  });
}

function testAnswers(fixtures: FormatFixtures, isStream: boolean): void {
  const kind = isStream ? 'streamed' : 'whole';
  const read = (run: ExchangeRun) =>
    isStream ? fixtures.readStream(run.text) : fixtures.readWhole(run.text);
  const run = (...names: AnswerName[]) => runAnswers(fixtures, isStream, names);
  const call = { name: 'weather_get', arguments: { city: 'Zürich' } };

  test.each(['text', 'call', 'two_calls'] as const)(`${kind}: passes on as it came: %s`, (name) => {
    const { text, ends } = run(name);
    const { stream, whole } = fixtures.answers[name];
    expect(text).toBe(isStream ? stream : whole);
    expect(ends).toMatchObject([{ kind: 'finished', turn: { searches: [] } }]);
  });

  test(`${kind}: tells the calls of an answer`, () => {
    expect(run('two_calls').ends).toMatchObject([
      { turn: { realCalls: [{ name: 'weather_get' }, { name: 'mail_send' }] } },
    ]);
  });

  test(`${kind}: joins a search and what follows, without a trace`, () => {
    const joined = run('search', 'call');
    const alone = { search: read(run('search')), call: read(run('call')) };
    expect(joined.ends).toMatchObject([
      { kind: 'searching', turn: { searches: [{ name: SEARCH, query: 'weather' }], realCalls: [] } },
      { kind: 'finished' },
    ]);
    expect(joined.text).not.toContain(SEARCH);
    expect(read(joined)).toMatchObject({
      id: alone.search.id,
      text: alone.search.text + alone.call.text,
      calls: [call],
      stopReason: alone.call.stopReason,
    });
  });

  test(`${kind}: adds up the usage of all rounds`, () => {
    const joined = run('search', 'two_searches', 'text');
    const { inputTokens, outputTokens } = fixtures.usage;
    expect(joined.usage).toEqual({ inputTokens: 3 * inputTokens, outputTokens: 3 * outputTokens });
    expect(read(joined)).toMatchObject({ inputTokens: 3 * inputTokens, outputTokens: 3 * outputTokens });
  });

  test(`${kind}: tells parallel searches apart`, () => {
    const { searches } = finished(run('two_searches'));
    expect(searches.map(({ query }) => query)).toEqual(['weather', 'mail']);
    expect(new Set(searches.map(({ id }) => id)).size).toBe(2);
  });

  test.each(['search_beside_call', 'call_beside_search'] as const)(
    `${kind}: gives out the real call, keeps the search: %s`,
    (name) => {
      const mixed = run(name);
      expect(mixed.text).not.toContain(SEARCH);
      expect(read(mixed).calls).toMatchObject([call]);
      expect(read(mixed).calls).toHaveLength(1);
      expect(mixed.ends).toMatchObject([
        { kind: 'finished', turn: { searches: [{ query: 'mail' }], realCalls: [{ name: 'weather_get' }] } },
      ]);
    },
  );

  test(`${kind}: reads malformed arguments of a search as an empty query`, () => {
    expect(finished(run('malformed_search')).searches).toMatchObject([{ query: '' }]);
  });

  test(`${kind}: drops a search that was cut off, and says why it ended`, () => {
    const cut = run('cut_search');
    expect(cut.ends).toMatchObject([{ kind: 'finished', turn: { searches: [], realCalls: [] } }]);
    expect(finished(cut).message).not.toContain(SEARCH);
    expect(cut.text).not.toContain(SEARCH);
    expect(read(cut)).toMatchObject({ calls: [], stopReason: fixtures.cutReason });
  });

  test(`${kind}: never promises a call that is not there`, () => {
    const ended = run('search');
    expect(ended.text).not.toContain(SEARCH);
    expect(read(ended).calls).toEqual([]);
    expect(read(ended).stopReason).toBe(read(run('text')).stopReason);
  });

  test(`${kind}: says the same of an answer as in the other mode`, () => {
    const other = runAnswers(fixtures, !isStream, ['search', 'call_beside_search']);
    const readOther = isStream ? fixtures.readWhole(other.text) : fixtures.readStream(other.text);
    const { message, ...answer } = read(run('search', 'call_beside_search'));
    expect(readOther).toMatchObject(answer);
  });
}

function testStreams(fixtures: FormatFixtures): void {
  const { format, answers } = fixtures;
  const view = viewOf(format, requestOf(fixtures, true));
  const joinPieces = (pieces: readonly (readonly Uint8Array[])[]) => {
    const joiner = format.joinAnswers(view, planOf(NAMES));
    const texts = pieces.map((round) => {
      const text = decodeStream(round).map((event) => joiner.feed(event));
      joiner.endRound();
      return text.join('');
    });
    return texts.join('') + joiner.finish();
  };
  const bytesOf = (name: AnswerName) => new TextEncoder().encode(answers[name].stream);
  const wanted = joinPieces([[bytesOf('search')], [bytesOf('call_beside_search')]]);

  test('reads a stream the same, wherever it is cut', () => {
    const [first, second] = [bytesOf('search'), bytesOf('call_beside_search')];
    for (let at = 1; at < Math.max(first.length, second.length); at += 1) {
      const cut = [first, second].map((bytes) => [bytes.subarray(0, at), bytes.subarray(at)]);
      expect(joinPieces(cut), `cut at ${at}`).toBe(wanted);
    }
  });

  test('reads a stream the same in single bytes', () => {
    const singles = (name: AnswerName) => Array.from(bytesOf(name), (byte) => Uint8Array.of(byte));
    expect(joinPieces([singles('search'), singles('call_beside_search')])).toBe(wanted);
  });

  test.each([
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('reads lines that end in %s', (_, lineEnd) => {
    const bytes = (name: AnswerName) =>
      new TextEncoder().encode(answers[name].stream.replaceAll('\n', lineEnd));
    expect(joinPieces([[bytes('search')], [bytes('call_beside_search')]])).toBe(wanted);
  });

  test('gives out text before the next event is there', () => {
    const joiner = format.joinAnswers(view, planOf(NAMES));
    const [early] = splitAfterText(answers.text.stream, 'Grüezi');
    const seen = decodeStream([new TextEncoder().encode(early)]).map((event) => joiner.feed(event));
    expect(seen.join('')).toContain('Grüezi');
  });

  test('calls a stream that ends in the middle truncated, and tells the client so', () => {
    const [early] = splitAfterText(answers.text.stream, 'Grüezi');
    const { ends, text } = runExchange(format, view, [{ stream: early, whole: '' }]);
    expect(ends).toMatchObject([{ kind: 'failed', reason: 'truncated' }]);
    expect(text).toContain('Grüezi');
    expect(() => fixtures.readStream(text)).toThrow();
  });

  test('passes on an error within a stream', () => {
    const [early] = splitAfterText(answers.text.stream, 'Grüezi');
    const error = fixtures.writeStreamError('Overloaded');
    const { ends, text } = runExchange(format, view, [answers.search, { stream: early + error, whole: '' }]);
    expect(ends[1]).toMatchObject({ kind: 'failed', reason: 'upstream_error' });
    expect(text.endsWith(error)).toBe(true);
  });

  test('does not pass on an error that names the search tool', () => {
    const error = fixtures.writeStreamError(`Invalid tool ${SEARCH}`);
    const { text } = runExchange(format, view, [answers.search, { stream: error, whole: '' }]);
    expect(text).not.toContain(SEARCH);
    expect(() => fixtures.readStream(text)).toThrow();
  });

  test('holds back the end of an exchange that hides something until it is finished', () => {
    const joiner = format.joinAnswers(view, planOf(NAMES));
    const events = decodeStream([bytesOf('call_beside_search')]);
    const before = events.map((event) => joiner.feed(event)).join('');
    joiner.endRound();
    expect(() => fixtures.readStream(before)).toThrow();
    expect(fixtures.readStream(before + joiner.finish()).calls).toHaveLength(1);
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
    test.each(shapes.map((names) => [names]))('puts back what was hidden: %j', (names) => {
      const request = requestOf(fixtures, isStream);
      const view = viewOf(format, request);
      const run = runAnswers(fixtures, isStream, names);
      const hidden = JSON.parse(JSON.stringify(format.hideTurn(view, run.rounds)));
      const client = isStream ? fixtures.readStream(run.text) : fixtures.readWhole(run.text);
      const messages = [fixtures.writeUserMessage(QUESTION), ...fixtures.goOn(client)];
      const next = viewOf(format, fixtures.writeRequest({ isStream, tools: toolsOf(fixtures), messages }));
      const asked = { hiddenTurns: [], rounds: run.rounds.slice(0, -1) };
      const before = messagesOf(format.editRequest(view, planOf(NAMES), asked));
      const after = messagesOf(
        format.editRequest(next, planOf(NAMES), { hiddenTurns: [hidden], rounds: [] }),
      );
      const last = JSON.parse(run.rounds.at(-1)!.turn.message);
      // Upstream sees one history, which only grows.
      expect(after.slice(0, before.length)).toEqual(before);
      expect(comparable(after[before.length])).toEqual(comparable(last));
    });
  });

  test('leaves a turn alone that the client has changed', () => {
    const view = viewOf(format, requestOf(fixtures, true));
    const run = runAnswers(fixtures, true, ['search', 'call']);
    const hidden = format.hideTurn(view, run.rounds)!;
    const client = fixtures.readStream(run.text);
    const changed = { ...client, message: client.message.replace('Zürich', 'Bern') };
    const messages = [fixtures.writeUserMessage(QUESTION), ...fixtures.goOn(changed)];
    const next = viewOf(
      format,
      fixtures.writeRequest({ isStream: false, tools: toolsOf(fixtures), messages }),
    );
    const nothing = { ...planOf([]), searchTool: undefined };
    expect(format.editRequest(next, nothing, { hiddenTurns: [hidden], rounds: [] })).toBe(next.bytes);
  });

  test('hides nothing when the client saw everything', () => {
    const view = viewOf(format, requestOf(fixtures, true));
    expect(format.hideTurn(view, runAnswers(fixtures, true, ['two_calls']).rounds)).toBeUndefined();
  });
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
  const view = viewOf(fixtures.format, requestOf(fixtures, isStream));
  return runExchange(
    fixtures.format,
    view,
    names.map((name) => fixtures.answers[name]),
  );
}

function finished({ ends }: ExchangeRun) {
  const end = ends.at(-1)!;
  if (end.kind === 'failed') throw new Error(end.reason);
  return end.turn;
}

/** A stream up to the end of the event that holds a text, and the rest. */
function splitAfterText(stream: string, text: string): [string, string] {
  const at = stream.indexOf('\n\n', stream.indexOf(text)) + 2;
  return [stream.slice(0, at), stream.slice(at)];
}

function messagesOf(bytes: Uint8Array): unknown[] {
  return JSON.parse(new TextDecoder().decode(bytes)).messages;
}

/** A message without what says nothing: fields that are null. */
function comparable(message: unknown): unknown {
  const fields = Object.entries(message as Record<string, unknown>);
  return Object.fromEntries(fields.filter(([, value]) => value !== null));
}
