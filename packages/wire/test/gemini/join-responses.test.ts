import { describe, expect, test } from 'vitest';
import type { Keep } from '../../src/format/response-joiner.ts';
import { gemini } from '../../src/gemini/gemini.ts';
import { SEARCH } from '../format-fixtures.ts';
import { planOf } from '../run-exchange.ts';
import {
  chunk,
  chunksOf,
  joinWholes,
  partsIn,
  partsOf,
  STOP,
  search,
  stop,
  streamChunks,
  view,
} from './exchange.ts';

const CALL = { functionCall: { name: 'weather_get', args: { city: 'Zürich' } }, thoughtSignature: 'c2ln' };
const usage = (counts: object) => ({ usageMetadata: counts });

describe('a stream', () => {
  test('continues after a search under the first id, without a trace of it', () => {
    const run = streamChunks([
      [chunk([{ text: 'I look. ' }]), chunk([search()]), stop()],
      [chunk([CALL], {}, { responseId: 'r2' }), stop({ responseId: 'r2' })],
    ]);
    expect(chunksOf(run).map(({ responseId }) => responseId)).toEqual(['r1', 'r1', 'r1']);
    expect(partsOf(run)).toEqual([{ text: 'I look. ' }, CALL, { text: '' }]);
    expect(run.text).not.toContain(SEARCH);
  });

  test('keeps the text next to a search, and the place of its signature', () => {
    const signed = { text: 'I look. ', thoughtSignature: 'dGV4dA' };
    const run = streamChunks([[chunk([signed, search()], STOP)], [chunk([{ text: 'Done.' }], STOP)]]);
    expect(partsOf(run)).toEqual([signed, { text: 'Done.' }, { text: '' }]);
    expect(
      chunksOf(run).map(({ candidates }) => (candidates as { finishReason?: string }[])[0]!.finishReason),
    ).toEqual([undefined, undefined, 'STOP']);
  });

  test('passes on a signature in a separate part at the end', () => {
    const signature = { text: '', thoughtSignature: 'ZW5k' };
    const run = streamChunks([
      [chunk([search()]), stop()],
      [chunk([{ text: 'Done.' }]), chunk([signature], STOP)],
    ]);
    expect(partsOf(run)).toContainEqual(signature);
  });

  test('shows running totals: the input of its round, the output of all', () => {
    const counts = (prompt: number, said: number, thought?: number) =>
      usage({
        promptTokenCount: prompt,
        candidatesTokenCount: said,
        totalTokenCount: prompt + said + (thought ?? 0),
        ...(thought && { thoughtsTokenCount: thought }),
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
        candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: said }],
      });
    const run = streamChunks([
      [chunk([search()], {}, counts(100, 4)), stop(counts(100, 5, 2))],
      [chunk([{ text: 'Do' }], {}, counts(130, 1)), chunk([{ text: 'ne.' }], STOP, counts(130, 3, 1))],
    ]);
    const shown = chunksOf(run).map(({ usageMetadata }) => usageMetadata);
    expect(shown[0]).toMatchObject({ promptTokenCount: 130, candidatesTokenCount: 6, thoughtsTokenCount: 2 });
    expect(shown.at(-1)).toEqual({
      promptTokenCount: 130,
      candidatesTokenCount: 8,
      totalTokenCount: 141,
      thoughtsTokenCount: 3,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 130 }],
      candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 8 }],
    });
    expect(run.usage).toEqual({ inputTokens: 230, outputTokens: 11, cachedInputTokens: 0 });
  });

  test('leaves usage without counts alone', () => {
    const traffic = usage({ trafficType: 'ON_DEMAND' });
    const counts = usage({ promptTokenCount: 10, candidatesTokenCount: 1, trafficType: 'ON_DEMAND' });
    const run = streamChunks([
      [chunk([search()], {}, traffic), stop(counts)],
      [chunk([{ text: 'D' }], {}, traffic), stop(counts)],
    ]);
    expect(chunksOf(run)[0]!.usageMetadata).toEqual({ trafficType: 'ON_DEMAND' });
    expect(chunksOf(run).at(-1)!.usageMetadata).toMatchObject({
      candidatesTokenCount: 2,
      trafficType: 'ON_DEMAND',
    });
  });

  test('counts the input of a provider tool as input', () => {
    const counts = usage({ promptTokenCount: 10, toolUsePromptTokenCount: 7, candidatesTokenCount: 1 });
    const run = streamChunks([[chunk([search()]), stop(counts)], [stop(counts)]]);
    expect(run.usage).toEqual({ inputTokens: 34, outputTokens: 2, cachedInputTokens: 0 });
    expect(chunksOf(run).at(-1)!.usageMetadata).toMatchObject({ toolUsePromptTokenCount: 7 });
  });

  test("passes on grounding of later rounds, and only the first round's feedback", () => {
    const grounding = { groundingMetadata: { webSearchQueries: ['x'] } };
    const run = streamChunks([
      [chunk([search()], {}, { promptFeedback: { safetyRatings: [] } }), stop()],
      [chunk([{ text: 'Done.' }], { ...STOP, ...grounding }, { promptFeedback: { safetyRatings: [1] } })],
    ]);
    expect(run.text).toContain('webSearchQueries');
    expect(run.text).not.toContain('promptFeedback');
  });

  test('ends when the prompt is blocked, in the first round and in a later one', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, responseId: 'r2' };
    expect(streamChunks([[blocked]]).ends).toMatchObject([{ kind: 'finished' }]);
    const run = streamChunks([[chunk([search()]), stop()], [blocked]]);
    expect(run.ends.at(-1)).toMatchObject({ kind: 'finished' });
    expect(chunksOf(run)).toEqual([{ promptFeedback: { blockReason: 'SAFETY' }, responseId: 'r1' }]);
  });

  test('removes token probabilities that would spell the search', () => {
    const more = {
      ...STOP,
      finishMessage: `called ${SEARCH}`,
      logprobsResult: { chosenCandidates: ['gateway'] },
    };
    const run = streamChunks([[chunk([{ text: 'I look.' }, search()], more)], [chunk([CALL], STOP)]]);
    expect(run.text).not.toMatch(/gateway|finishMessage/);
  });

  test('shows no content for signatures and empty texts', () => {
    const run = streamChunks([
      [chunk([search('x', { thoughtSignature: 's' })]), stop()],
      [chunk([CALL], STOP)],
    ]);
    expect(partsOf(run)[0]).toEqual(CALL);
  });
});

describe('calls whose arguments come in pieces', () => {
  const piece = (partialArgs: object[], more: object = { willContinue: true }) =>
    chunk([{ functionCall: { partialArgs, ...more } }]);
  const text = (jsonPath: string, stringValue: string, willContinue = true) => ({
    jsonPath,
    stringValue,
    ...(willContinue && { willContinue }),
  });
  const begin = (name: string) =>
    chunk([{ functionCall: { name, willContinue: true }, thoughtSignature: 's' }]);

  test.each([
    ['an empty part that ends the stream as well', [chunk([{ functionCall: {} }], STOP)]],
    ['an empty part', [chunk([{ functionCall: {} }]), stop()]],
    ['a last piece', [piece([text('$.query', '', false)], {}), stop()]],
  ])('are a search that is over with %s', (_, end) => {
    const pieces = [
      begin(SEARCH),
      piece([text('$.query', 'weather in ')]),
      piece([text('$.query', 'Zürich')]),
    ];
    const run = streamChunks([[...pieces, ...end], [chunk([CALL], STOP)]]);
    expect(run.ends[0]).toMatchObject({
      kind: 'searching',
      turn: { searches: [{ queries: ['weather in Zürich'] }] },
    });
    expect(JSON.parse(run.rounds[0]!.turn.message).parts).toEqual([
      { functionCall: { name: SEARCH, args: { query: 'weather in Zürich' } }, thoughtSignature: 's' },
    ]);
    expect(partsOf(run)).toEqual([CALL, { text: '' }]);
  });

  test.each([
    ['a place far behind the end of a list', [{ jsonPath: '$.query[9000]', stringValue: 'x' }]],
    ['a place too deep to be written', [{ jsonPath: `$${'.a'.repeat(9_000)}`, stringValue: 'x' }]],
    [
      'what is of another type',
      [{ ...text('$.query', 'x') }, { jsonPath: '$.query', stringValue: { toString: 1, valueOf: 1 } }],
    ],
  ])('leave out %s', (_, pieces) => {
    const run = streamChunks([
      [begin(SEARCH), piece([text('$.more[0]', 'a', false), ...pieces], {}), stop()],
      [chunk([CALL], STOP)],
    ]);
    expect(run.ends[0]).toMatchObject({ kind: 'searching' });
    expect(run.rounds[0]!.turn.message.length).toBeLessThan(300);
    expect(partsOf(run)).toEqual([CALL, { text: '' }]);
  });

  test('pass unchanged next to a search, and go back whole', () => {
    const chunks = [
      begin('weather_get'),
      piece([text('$.places[0].name', 'Zü')]),
      piece([text('$.places[0].name', 'rich')]),
      piece([text('$.places[0].name', '', false)]),
      piece([{ jsonPath: '$.places[1]', nullValue: 'NULL_VALUE' }]),
      piece([
        { jsonPath: '$.days', numberValue: 3 },
        { jsonPath: "$['in detail']", boolValue: true },
      ]),
      chunk([{ functionCall: {} }]),
    ];
    const run = streamChunks([[...chunks, chunk([search()]), stop()]]);
    expect(partsOf(run)).toEqual(
      chunks.flatMap((one) => partsIn(one as never)).concat([{ text: '' }] as never),
    );
    expect(run.ends).toMatchObject([
      {
        kind: 'finished',
        turn: { realCalls: [{ name: 'weather_get' }], searches: [{ queries: ['weather'] }] },
      },
    ]);
    const [call] = JSON.parse(run.rounds[0]!.turn.message).parts;
    expect(call.functionCall).toEqual({
      name: 'weather_get',
      args: { places: [{ name: 'Zürich' }, null], days: 3, 'in detail': true },
    });
  });

  test.each(['$', '$..a', '$.__proto__.polluted', '$.a[99999999]', 'a', 7])(
    'ignore a place that is none: %j',
    (jsonPath) => {
      const run = streamChunks([
        [begin(SEARCH), piece([{ jsonPath, stringValue: 'x' }]), chunk([{ functionCall: {} }]), stop()],
      ]);
      expect(run.ends).toMatchObject([{ turn: { searches: [{ queries: [] }] } }]);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    },
  );

  test('may have none, and be over at once', () => {
    const run = streamChunks([[chunk([{ functionCall: { name: SEARCH } }]), stop()]]);
    expect(run.ends).toMatchObject([{ kind: 'searching', turn: { searches: [{ queries: [] }] } }]);
  });
});

describe('a model that calls a tool it was not shown', () => {
  const astray = (finishReason: string) => ({
    candidates: [{ content: {}, finishReason, index: 0 }],
    responseId: 'r1',
  });

  test.each(['UNEXPECTED_TOOL_CALL', 'MALFORMED_FUNCTION_CALL'])(
    'is asked again with everything in its sight: %s',
    (reason) => {
      expect(streamChunks([[astray(reason)]]).ends).toMatchObject([
        { kind: 'failed', reason: 'malformed_answer' },
      ]);
      expect(joinWholes([astray(reason)]).ends).toMatchObject([
        { kind: 'failed', reason: 'malformed_answer' },
      ]);
    },
  );

  test('is passed on when the client has seen something of it', () => {
    const run = streamChunks([[chunk([{ text: 'I ' }]), astray('MALFORMED_FUNCTION_CALL')]]);
    expect(run.ends).toMatchObject([{ kind: 'finished', stopReason: 'MALFORMED_FUNCTION_CALL' }]);
    expect(run.text).toContain('MALFORMED_FUNCTION_CALL');
  });
});

describe('whole responses', () => {
  test('are joined, with the parts of all', () => {
    const counts = { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 } };
    const run = joinWholes([
      chunk(
        [{ text: 'I look. ' }, search('weather', { thoughtSignature: 's' })],
        { ...STOP, finishMessage: 'Model generated function call(s).' },
        counts,
      ),
      chunk([CALL], STOP, { responseId: 'r2', ...counts }),
    ]);
    const body = JSON.parse(run.text);
    expect(body.responseId).toBe('r1');
    expect(partsIn(body)).toEqual([{ text: 'I look. ' }, CALL]);
    expect(body.usageMetadata).toEqual({
      promptTokenCount: 10,
      candidatesTokenCount: 4,
      totalTokenCount: 14,
    });
  });

  test.each([{}, { candidates: 'x' }, { hello: 1 }, { candidates: [] }])(
    'of another shape pass unchanged: %j',
    (body) => {
      expect(joinWholes([body]).text).toBe(JSON.stringify(body));
    },
  );

  test('that name the search tool in another shape are not passed on', () => {
    expect(joinWholes([{ tools: [SEARCH] }]).ends).toMatchObject([
      { kind: 'failed', reason: 'malformed_answer' },
    ]);
  });
});

describe('without memory for more', () => {
  const joinIn = (chunks: readonly object[], keep: Keep = () => false) => {
    const joiner = gemini.joining.joinResponses(view(), planOf(['weather_get']), keep);
    for (const one of chunks) {
      if (joiner.isRoundOver) break;
      joiner.feed({ kind: 'event', data: JSON.stringify(one) });
    }
    return { isOver: joiner.isRoundOver, end: joiner.endRound() };
  };

  test.each([
    ['begins calls without an end', Array.from({ length: 2_000 }, () => chunk([CALL]))],
    ['counts without an end behind a search', [chunk([search()]), { usageMetadata: { totalTokenCount: 1 } }]],
  ])('a response is abandoned that %s', (_, chunks) => {
    expect(joinIn(chunks)).toMatchObject({ isOver: true, end: { kind: 'failed', reason: 'held_too_much' } });
  });

  test('a search next to a call is dropped, and the client gets the call', () => {
    let asked = 0;
    const { end } = joinIn([chunk([search(), CALL]), stop()], () => asked++ > 0);
    expect(end).toMatchObject({
      kind: 'finished',
      turn: { searches: [], realCalls: [{ name: 'weather_get' }] },
    });
  });
});
