import type { StoredRecord } from '@winnow/core';

/** Returns the record of an answered exchange that deferred, with some changes. */
export function makeRecord(changes: Partial<StoredRecord>): StoredRecord {
  return {
    version: 1,
    event: 'exchange',
    time: '2026-11-20T08:00:00.000Z',
    requestId: 'request',
    session: 'session',
    upstream: 'openai',
    format: 'openai-chat',
    model: 'gpt-5.2',
    isStream: false,
    strategy: 'api',
    arm: 'full',
    armReason: 'rollout_full',
    planReason: 'deferred',
    loadMode: 'bridge',
    tools: { total: 20, kept: 1, deferred: 19, loaded: 0 },
    searches: [],
    upstreamCalls: 1,
    hiddenTurnsKnown: 0,
    sessionErrors: 0,
    toolBytes: { before: 8_000, after: 400, estimatedTokensBefore: 2_000, estimatedTokensAfter: 100 },
    planMs: 1,
    sessionMs: 0,
    searchMs: 0,
    hiddenRoundsMs: 0,
    addedMs: 1,
    totalMs: 500,
    status: 200,
    outcome: 'answered',
    ...changes,
  };
}
