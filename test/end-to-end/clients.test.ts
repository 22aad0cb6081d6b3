import { playModel, startUpstream } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ALL_ROWS, optionsOf, ROWS, type Row, title } from './clients/rows.ts';
import { expectStableTools, hiddenRoundsOf } from './clients/stable-tools.ts';
import { TRACES } from './clients/traces.ts';
import { CONVERSATION, TOOLS, USER_MESSAGES } from './conversation-plan.ts';
import { startStack } from './start-stack.ts';
import { startTap } from './tap.ts';

describe('a client behind the proxy', () => {
  test.each(ROWS.map((row) => [title(row), row] as const))('%s', async (_, row) => {
    // In bridge mode the last result of a search does not show all tools, so the model looks for each.
    const searchesAgain = row.loadMode === 'bridge';
    const model = playModel({ ...CONVERSATION, thinks: row.thinks, searchesAgain });
    const direct = await startUpstream({ model });
    onTestFinished(() => direct.close());
    const stack = await startStack({ model, ...optionsOf(row) });
    const tap = await startTap(stack.proxyUrl);
    const request = { ...row, tools: TOOLS, userMessages: USER_MESSAGES };

    const expected = await row.client.converse({ ...request, url: direct.url });
    const actual = await row.client.converse({ ...request, url: tap.url });

    // The conversation is the same as without Winnow.
    expect(actual).toEqual(expected);
    expect(expected.length).toBeGreaterThan(18);
    // A strict provider found no fault on any turn, and no request was repeated.
    expect(direct.rejected().map(({ rejection }) => rejection)).toEqual([]);
    expect(stack.upstream.rejected().map(({ rejection }) => rejection)).toEqual([]);
    expect(stack.records.filter(({ restoredBecause }) => restoredBecause)).toEqual([]);
    // The model did have to search.
    expect(stack.upstream.requests.length).toBe(expected.length + hiddenRoundsOf(row));
    // No trace of it reached the client.
    expect(TRACES.filter((trace) => tap.toClient().includes(trace))).toEqual([]);
    expect(tap.toClient().length).toBeGreaterThan(1_000);
    expect(tap.toClient().includes('tool_search')).toBe(false);
    expectStableTools(stack.upstream.requests, row);
  });
});

test('every client is tried, and every format whole and streamed, and in each load mode', () => {
  const ways = (rows: readonly Row[]) =>
    new Set(
      rows.flatMap(({ client, isStream, loadMode }) => [client, `${client.format} ${isStream}`, loadMode]),
    );
  expect(ways(ROWS)).toEqual(ways(ALL_ROWS));
});
