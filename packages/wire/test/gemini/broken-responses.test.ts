import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { gemini } from '../../src/gemini/gemini.ts';
import { brokenForms } from '../broken-responses.ts';
import { planOf } from '../run-exchange.ts';
import { chunk, joinWholes, STOP, search, stop, streamChunks, view } from './exchange.ts';

const CALL = { functionCall: { name: 'weather_get', args: { city: 'Zürich' } }, thoughtSignature: 's' };
const counted = {
  usageMetadata: {
    promptTokenCount: 5,
    candidatesTokenCount: 1,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 5 }],
  },
};
const speaking = [
  chunk([{ text: 'Hm.', thought: true }], {}, counted),
  chunk([{ text: 'Let me look.' }], {}, counted),
];
const plain = [...speaking, chunk([CALL]), stop(counted)];
const inPieces = [
  chunk([{ functionCall: { name: 'weather_get', willContinue: true } }]),
  chunk([
    {
      functionCall: {
        partialArgs: [{ jsonPath: '$.a[0].b', stringValue: 'x', willContinue: true }],
        willContinue: true,
      },
    },
  ]),
  chunk([{ functionCall: {} }]),
];
const searching = [...speaking, chunk([search()]), stop(counted)];
const wholePlain = chunk([{ text: 'Hi.' }, CALL], STOP, counted);
const wholeSearch = chunk([{ text: 'Hi.' }, search()], STOP, counted);
const SETTINGS = { numRuns: inject('isExhaustive') ? 2_000 : 40, seed: 7 };

const written = (chunks: readonly unknown[]) =>
  chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join('');
const isResponse = (one: unknown): one is object =>
  typeof one === 'object' && one !== null && !('error' in one);

test('a whole response without a search passes unchanged, whatever is broken in it', () => {
  fc.assert(
    fc.property(brokenForms([wholePlain]), (body) => {
      expect(joinWholes([body]).text).toBe(JSON.stringify(body));
    }),
    SETTINGS,
  );
});

test('a stream without a search passes unchanged, whatever is broken in it', () => {
  fc.assert(
    fc.property(brokenForms([plain, [...inPieces, ...speaking]]), (broken) => {
      fc.pre(Array.isArray(broken) && broken.every(isResponse));
      const chunks = [...(broken as object[]), stop(counted)];
      expect(streamChunks([chunks]).text).toBe(written(chunks));
    }),
    SETTINGS,
  );
});

test('never throws, whatever is broken in rounds that search', () => {
  const broken = brokenForms([searching, plain, [...inPieces, ...searching]]).filter(Array.isArray);
  fc.assert(
    fc.property(broken, broken, (first, second) => {
      expect(() => streamChunks([first, second])).not.toThrow();
    }),
    SETTINGS,
  );
  const whole = brokenForms([wholeSearch, wholePlain]);
  fc.assert(
    fc.property(whole, whole, (first, second) => {
      expect(() => joinWholes([first, second])).not.toThrow();
    }),
    SETTINGS,
  );
});

test('never throws for a broken history', () => {
  const run = streamChunks([[chunk([search('mail', { thoughtSignature: 's' }), CALL]), stop()]]);
  const contents = [
    { role: 'user', parts: [{ text: 'Hello.' }] },
    { role: 'model', parts: [CALL] },
    { role: 'user', parts: [{ functionResponse: { name: 'weather_get', response: { output: 'x' } } }] },
  ];
  const hidden = gemini.remembering.hideTurn(view(), run.rounds)!;
  const plan = planOf(['weather_get']);
  fc.assert(
    fc.property(
      brokenForms([{ contents, tools: [{ functionDeclarations: [{ name: 'weather_get' }] }] }]),
      (body) => {
        fc.pre(Array.isArray((body as { contents?: unknown } | null)?.contents));
        const request = view(body);
        expect(() =>
          gemini.editing.editRequest(request, plan, { hiddenTurns: [hidden], rounds: [] }),
        ).not.toThrow();
        expect(() => [
          gemini.remembering.historyKeys(request),
          gemini.remembering.openingKey(request),
        ]).not.toThrow();
      },
    ),
    SETTINGS,
  );
});
