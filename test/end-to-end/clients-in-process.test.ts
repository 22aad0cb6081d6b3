import type { ExchangeRecord } from '@winnow/core';
import { winnowFetch } from '@winnow/proxy';
import { type Model, playModel, startUpstream } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ROWS_IN_PROCESS, type Row, rulesOf, title } from './clients/rows.ts';
import { expectStableTools, hiddenRoundsOf } from './clients/stable-tools.ts';
import { TRACES } from './clients/traces.ts';
import { CONVERSATION, TOOLS, USER_MESSAGES } from './conversation-plan.ts';
import { tapFetch } from './tap.ts';

/** An upstream with this model, and a function that puts Winnow in front of it, with what that gave its caller. */
async function startInProcess(row: Row, model: Model) {
  const upstream = await startUpstream({ model, ...rulesOf(row) });
  onTestFinished(() => upstream.close());
  const records: ExchangeRecord[] = [];
  const settings = {
    'tools.goal': 'context',
    'tools.preload': 0,
    'tools.min_tools': 0,
    'tools.min_deferred_tokens': 0,
  } as const;
  const onRecord = (record: ExchangeRecord) => records.push(record);
  const tap = tapFetch(winnowFetch(fetch, { settings, load: row.loadMode, onRecord }));
  return { upstream, records, tap };
}

describe('a client with Winnow in its process', () => {
  test.each(ROWS_IN_PROCESS.map((row) => [title(row), row] as const))('%s', async (_, row) => {
    const searchesAgain = row.loadMode === 'bridge';
    const model = playModel({ ...CONVERSATION, thinks: row.thinks, searchesAgain });
    const direct = await startUpstream({ model });
    onTestFinished(() => direct.close());
    const { upstream, records, tap } = await startInProcess(row, model);
    const request = { ...row, tools: TOOLS, userMessages: USER_MESSAGES };

    const expected = await row.client.converse({ ...request, url: direct.url });
    const actual = await row.client.converse({ ...request, url: upstream.url, fetch: tap.fetch });

    expect(actual).toEqual(expected);
    expect(expected.length).toBeGreaterThan(18);
    expect(upstream.rejected().map(({ rejection }) => rejection)).toEqual([]);
    expect(records.filter(({ restoredBecause }) => restoredBecause)).toEqual([]);
    expect(upstream.requests.length).toBe(expected.length + hiddenRoundsOf(row));
    const toClient = await tap.toClient();
    expect(TRACES.filter((trace) => toClient.includes(trace))).toEqual([]);
    expect(toClient.length).toBeGreaterThan(1_000);
    expect(toClient.includes('tool_search')).toBe(false);
    expectStableTools(upstream.requests, row);
  });
});

test('every client that can is tried, and every format in each of its ways', () => {
  const ways = new Set(ROWS_IN_PROCESS.map(({ client, isStream }) => [client.format, isStream].join()));
  expect(ways.size).toBe(12);
});
