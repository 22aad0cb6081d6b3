import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { json } from '../../src/framing/framings.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { brokenForms } from '../broken-responses.ts';
import { SEARCH } from '../format-fixtures.ts';
import { planOf, runExchange, viewOf } from '../run-exchange.ts';
import { calls, chunk, search, stop, streamChunks, writeChunks } from './chat-exchange.ts';

const call = { index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } };
const more = { index: 0, function: { arguments: '{"x":1}' } };
const usage = { ...chunk({}), choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } };
const speaking = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Let me look.', annotations: [{ index: 0, url: 'x' }] }),
];
const plain = [...speaking, calls(call), calls(more), stop(), usage];
const message = { role: 'assistant', content: 'Hi.', tool_calls: [{ ...call, index: undefined }] };
const wholePlain = {
  id: 'c',
  choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  usage: usage.usage,
};
const wholeSearch = {
  ...wholePlain,
  choices: [
    { message: { ...message, tool_calls: [{ id: 's', function: { name: SEARCH, arguments: '{}' } }] } },
  ],
};
const SETTINGS = { numRuns: inject('isExhaustive') ? 2_000 : 40, seed: 7 };

const view = (isStream: boolean) =>
  viewOf(openaiChat, `{"model":"m","stream":${isStream},"messages":[],"tools":[]}`);
const runWhole = (...bodies: readonly unknown[]) =>
  runExchange(
    openaiChat,
    view(false),
    bodies.map((body) => ({ stream: '', whole: typeof body === 'string' ? body : JSON.stringify(body) })),
    planOf(['weather_get']),
    json,
  );

describe('entries of tool_calls that are no calls', () => {
  test('pass unchanged in a stream, before and after a call', () => {
    const chunks = [chunk({ tool_calls: [null, call, 7] }), calls(more), stop()];
    expect(streamChunks([chunks]).text).toBe(writeChunks(chunks));
  });

  test('stay next to a removed search', () => {
    const searching = { index: 1, id: 's', function: { name: SEARCH, arguments: '{}' } };
    const run = streamChunks([
      [chunk({ tool_calls: [null, searching] }), stop()],
      [chunk({ content: 'Hi.' }), stop('stop')],
    ]);
    expect(run.ends).toMatchObject([{ kind: 'searching' }, { kind: 'finished' }]);
    expect(run.text).not.toContain(SEARCH);
    expect(run.text).toContain('"tool_calls":[null]');
  });

  test('are not sent back to the provider with a whole response', () => {
    const tool_calls = [null, { id: 's', function: { name: SEARCH, arguments: '{}' } }];
    const { ends } = runWhole({ choices: [null, { message: { role: 'assistant', tool_calls } }] });
    const [end] = ends;
    expect(end).toMatchObject({ kind: 'searching', turn: { searches: [{ id: 's' }] } });
    expect(end?.kind === 'searching' && end.turn.message).not.toContain('[null');
  });
});

test('an empty list of calls and white space between calls stay', () => {
  const odd = `{"id":"c","choices":[{"delta":{"tool_calls": [ ${JSON.stringify(call)} , null ] }}]}`;
  const chunks = [chunk({ content: 'Hi.', tool_calls: [] }), odd, calls(more), stop()];
  expect(streamChunks([chunks]).text).toBe(writeChunks(chunks));
});

test('a whole body that cannot be read but names the search tool is a failure', () => {
  const { ends } = runWhole({ choices: { message: { tool_calls: [{ function: { name: SEARCH } }] } } });
  expect(ends).toMatchObject([{ kind: 'failed', reason: 'malformed_answer' }]);
});

test('a whole response without a search passes unchanged, whatever is broken in it', () => {
  fc.assert(
    fc.property(brokenForms([wholePlain]), (body) => {
      fc.pre(typeof body !== 'string');
      expect(runWhole(body).text).toBe(JSON.stringify(body));
    }),
    SETTINGS,
  );
});

test('a stream without calls passes unchanged, whatever is broken in it', () => {
  fc.assert(
    fc.property(brokenForms([speaking]), (broken) => {
      fc.pre(Array.isArray(broken));
      const chunks = [...broken.map((each) => JSON.stringify(each)), stop('stop'), usage];
      expect(streamChunks([chunks], { wantsUsage: true }).text).toBe(writeChunks(chunks));
    }),
    SETTINGS,
  );
});

test('never throws, whatever is broken in rounds that search', () => {
  const searching = [...speaking, search(), stop(), usage];
  const broken = brokenForms([searching, plain]).filter(Array.isArray);
  fc.assert(
    fc.property(broken, broken, (first, second) => {
      const rounds = [first, second].map((chunks) => chunks.map((each) => JSON.stringify(each)));
      expect(() => streamChunks(rounds, { wantsUsage: true })).not.toThrow();
    }),
    SETTINGS,
  );
  const whole = brokenForms([wholeSearch, wholePlain]);
  fc.assert(
    fc.property(whole, whole, (first, second) => {
      expect(() => runWhole(first, second)).not.toThrow();
    }),
    SETTINGS,
  );
});
