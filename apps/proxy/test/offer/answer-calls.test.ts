import { silentSpan } from '@winnow/service';
import type { SearchCall, SearchResult } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { type AnswerContext, answerCalls } from '../../src/offer/answer-calls.ts';
import type { CallRegistry, OfferedCall } from '../../src/offer/call-registry.ts';

const call = (
  id: string,
  name = 'search_tools',
  input: SearchCall['input'] = { query: 'x' },
): SearchCall => ({
  id,
  name,
  query: '',
  input,
});

function context(parts: Partial<AnswerContext> = {}): AnswerContext & { readonly asked: OfferedCall[] } {
  const asked: OfferedCall[] = [];
  const client: CallRegistry = async (one) => {
    asked.push(one);
    return { outcome: 'ok', text: `found ${asked.length}`, status: 200 };
  };
  return {
    asked,
    client,
    token: 'secret',
    earlier: [],
    isLimit: false,
    take: () => true,
    requestId: 'request-1',
    span: silentSpan({}),
    now: () => 0,
    signal: new AbortController().signal,
    ...parts,
  };
}

const answered = (text: string): SearchResult => ({ callId: 'old', kind: 'answered', tools: [], text });

describe('answering the calls of one turn', () => {
  test('calls the registry for each, with the token and the id of the request', async () => {
    const where = context();
    const { results, records } = await answerCalls([call('a'), call('b', 'call_tool', { name: 'n' })], where);
    expect(where.asked).toMatchObject([
      {
        tool: 'search_tools',
        input: { query: 'x' },
        token: 'secret',
        headers: { 'x-request-id': 'request-1' },
      },
      { tool: 'call_tool', input: { name: 'n' } },
    ]);
    expect(results).toEqual([
      { callId: 'a', kind: 'answered', tools: [], text: 'found 1' },
      { callId: 'b', kind: 'answered', tools: [], text: 'found 2' },
    ]);
    expect(records).toMatchObject([
      { tool: 'search_tools', outcome: 'ok', chars: 7, status: 200 },
      { tool: 'call_tool', outcome: 'ok' },
    ]);
  });

  test('tells the model about invalid arguments without calling the registry', async () => {
    const where = context();
    const { results } = await answerCalls([{ ...call('a'), input: undefined }], where);
    expect(results).toMatchObject(
      [{ isError: true, text: /^invalid_arguments: / }].map(() => ({ isError: true })),
    );
    expect(results[0]!.text).toMatch(/^invalid_arguments: /);
    expect(where.asked).toEqual([]);
  });

  test.each([
    ['the model had its last call', { isLimit: true }],
    ['twenty calls were answered', { earlier: Array.from({ length: 20 }, () => answered('x')) }],
  ])('answers no further call when %s', async (_, parts) => {
    const where = context(parts);
    const { results, records } = await answerCalls([call('a')], where);
    expect(results[0]).toMatchObject({ isError: true });
    expect(records).toMatchObject([{ outcome: 'limit' }]);
    expect(where.asked).toEqual([]);
  });

  test('counts the calls of earlier turns, but not searches', async () => {
    const search: SearchResult = { callId: 's', kind: 'found', tools: [] };
    const where = context({ earlier: [...Array.from({ length: 18 }, () => answered('x')), search, search] });
    const { records } = await answerCalls([call('a'), call('b'), call('c')], where);
    expect(records.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'limit']);
  });

  test('keeps only results that fit next to earlier ones', async () => {
    const where = context({ earlier: [answered('x'.repeat(127_990))] });
    const { records } = await answerCalls([call('a'), call('b')], where);
    expect(records.map(({ outcome }) => outcome)).toEqual(['ok', 'limit']);
  });

  test('keeps no result without memory', async () => {
    const { records } = await answerCalls([call('a')], context({ take: () => false }));
    expect(records).toMatchObject([{ outcome: 'limit' }]);
  });

  test('never rejects', async () => {
    const client = () => Promise.reject(new Error('a defect'));
    const { records } = await answerCalls([call('a')], context({ client }));
    expect(records).toMatchObject([{ outcome: 'unreachable' }]);
  });
});
