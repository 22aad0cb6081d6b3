import { ExchangeRecord, type SearchRecord, totalUsage } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import type { ExchangeFact } from '../src/records/exchange-fact.ts';
import { foldRecord } from '../src/records/fold-record.ts';
import type { ShownTools } from '../src/records/request-facts.ts';
import { exchangeSoFar } from './exchange-so-far.ts';

/** The record of an exchange with these facts, one millisecond apart. */
function recordOf(...facts: readonly ExchangeFact[]): ExchangeRecord {
  return foldRecord(exchangeSoFar({ facts: facts.map((fact, index) => [index, fact]) }));
}

const shown = (loaded: number, bytesAfter: number): ShownTools => ({
  counts: { total: 10, deferred: 9, loaded },
  bytesBefore: 4_000,
  bytesAfter,
});

const planned: ExchangeFact = {
  kind: 'planned',
  reason: 'deferred',
  loadMode: 'native',
  tools: shown(0, 400),
};

const search: SearchRecord = { outcome: 'found', names: ['a'], ms: 1 };

describe('the record of an exchange', () => {
  test('that has just begun says that nothing was read, and is valid', () => {
    const record = recordOf();
    expect(record).toEqual({
      version: 1,
      event: 'exchange',
      time: '2026-11-21T09:30:00.000Z',
      requestId: 'exchange-1',
      upstream: 'anthropic',
      format: 'anthropic-messages',
      strategy: 'api',
      arm: 'shadow',
      armReason: 'no_session',
      planReason: 'not_read',
      loadMode: 'swap',
      tools: { total: 0, deferred: 0, loaded: 0 },
      searches: [],
      upstreamCalls: 0,
      hiddenTurnsKnown: 0,
      sessionErrors: 0,
      toolBytes: { before: 0, after: 0 },
      hiddenRoundsMs: 0,
      addedMs: 0,
      totalMs: 0,
      outcome: 'failed',
    });
    expect(ExchangeRecord.safeParse(record).success).toBe(true);
  });

  test('with a search has the results of every step', () => {
    const record = recordOf(
      { kind: 'decided', arm: 'full', reason: 'rollout_full' },
      { kind: 'received' },
      { kind: 'read', format: 'openai-chat', model: 'm', isStream: true },
      { kind: 'session_read', session: 'key', hiddenTurns: 2, errors: 0 },
      planned,
      { kind: 'sent', bytes: 5_000 },
      { kind: 'round_ended', round: 1, usage: { inputTokens: 10, outputTokens: 1 } },
      { kind: 'searching' },
      { kind: 'searched', searches: [search] },
      { kind: 'loaded', tools: shown(1, 800) },
      { kind: 'sent', bytes: 6_000 },
      { kind: 'round_ended', round: 2, usage: { inputTokens: 30, outputTokens: 5 } },
      { kind: 'session_written', errors: 1 },
      { kind: 'delivered' },
      { kind: 'ended', outcome: 'answered', status: 200 },
    );
    expect(record).toMatchObject({
      arm: 'full',
      armReason: 'rollout_full',
      model: 'm',
      session: 'key',
      hiddenTurnsKnown: 2,
      planReason: 'deferred',
      loadMode: 'native',
      tools: { total: 10, deferred: 9, loaded: 1 },
      searches: [search],
      upstreamCalls: 2,
      promptBytes: 1_202,
      usage: [
        { inputTokens: 10, outputTokens: 1 },
        { inputTokens: 30, outputTokens: 5 },
      ],
      sessionErrors: 1,
      outcome: 'answered',
      status: 200,
    });
    expect(ExchangeRecord.safeParse(record).success).toBe(true);
  });

  test('sums the tokens that rounds report as read from and written to the prompt cache', () => {
    const record = recordOf(
      { kind: 'round_ended', round: 1, usage: { inputTokens: 10, outputTokens: 1, cacheWriteTokens: 8 } },
      {
        kind: 'round_ended',
        round: 2,
        usage: { inputTokens: 30, outputTokens: 5, cachedInputTokens: 9, cacheWriteTokens: 20 },
      },
    );
    expect(totalUsage(record.usage)).toEqual({
      inputTokens: 40,
      outputTokens: 6,
      cachedInputTokens: 9,
      cacheWriteTokens: 28,
    });
    expect(record.usage).toEqual([
      { inputTokens: 10, outputTokens: 1, cacheWriteTokens: 8 },
      { inputTokens: 30, outputTokens: 5, cachedInputTokens: 9, cacheWriteTokens: 20 },
    ]);
  });

  test('has no size for a request that is passed on as it arrives', () => {
    expect(
      recordOf({ kind: 'sent', bytes: undefined }, { kind: 'sent', bytes: 9 }).promptBytes,
    ).toBeUndefined();
  });

  test('of one round has its usage once, and none if no response reports any', () => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    expect(recordOf({ kind: 'round_ended', round: 1, usage }).usage).toEqual([usage]);
    expect(recordOf({ kind: 'round_ended', round: 1, usage: undefined }).usage).toBeUndefined();
  });

  test('counts the usage of a repeated round each time', () => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    const ended: ExchangeFact = { kind: 'round_ended', round: 2, usage };
    const record = recordOf(ended, { kind: 'round_failed', reason: 'truncated' }, ended);
    expect(record.usage).toEqual([usage, usage]);
  });

  test('sums the bytes of tools over all edited requests', () => {
    const { toolBytes } = recordOf(planned, { kind: 'sent' }, { kind: 'loaded', tools: shown(1, 800) });
    expect(toolBytes).toEqual({
      before: 4_000,
      after: 1_200,
      first: 400,
    });
  });

  test('counts all tools once more if the original bytes were sent after edited ones', () => {
    const restored = recordOf(planned, { kind: 'restored', because: 'later_round_failed' });
    expect(restored.restoredBecause).toBe('later_round_failed');
    expect(restored.toolBytes).toMatchObject({ before: 4_000, after: 4_400 });
    expect(restored.tools.deferred).toBe(9);
  });

  test('says why a request was left alone, and counts none of its tools', () => {
    const record = recordOf({ kind: 'left_alone', reason: 'client_defers' });
    expect(record).toMatchObject({ planReason: 'client_defers', tools: { total: 0 } });
  });

  test('says that tools were swapped in the end, and that the provider kept them out of the first prompt', () => {
    const sent = { kind: 'sent', bytes: 5_000 } as const;
    const [native, swapped] = [recordOf(planned, sent), recordOf(planned, sent, { kind: 'swapped' })];
    expect(native.loadMode).toBe('native');
    expect(swapped).toMatchObject({ loadMode: 'swap', promptBytes: native.promptBytes });
  });

  test('counts what the model reads: natively deferred tools are sent, but for Responses', () => {
    // Each of the 9 tools has `,"defer_loading":true` and a comma around its definition.
    const promptOf = (more: Partial<typeof planned>, format = 'anthropic-messages') => {
      const read: ExchangeFact = { kind: 'read', format, model: 'm', isStream: false };
      return recordOf(read, { ...planned, ...more } as ExchangeFact, { kind: 'sent', bytes: 5_000 })
        .promptBytes;
    };
    expect(promptOf({})).toBe(5_000 - 3_600 - 9 * 22);
    expect(promptOf({}, 'openai-responses')).toBe(5_000);
    expect(promptOf({ loadMode: 'swap' })).toBe(5_000);
  });

  test('of a client that has left has no status', () => {
    const record = recordOf({ kind: 'ended', outcome: 'client_gone', status: undefined });
    expect([record.outcome, record.status]).toEqual(['client_gone', undefined]);
  });

  test('is the same for the same facts, and leaves them unchanged', () => {
    const facts: ExchangeFact[] = [planned, { kind: 'searched', searches: [search] }, { kind: 'sent' }];
    const before = structuredClone(facts);
    expect(recordOf(...facts)).toEqual(recordOf(...facts));
    expect(facts).toEqual(before);
  });
});
