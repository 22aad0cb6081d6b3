import { playModel, startUpstream } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ALL_ROWS, optionsOf, type Row, sampleOfWays, title } from './clients/rows.ts';
import { TRACES } from './clients/traces.ts';
import { SEARCHING_CONVERSATION, TOOLS, USER_MESSAGES } from './conversation-plan.ts';
import { startStack } from './start-stack.ts';
import { startTap } from './tap.ts';

/** A store that keeps nothing, like one that is unavailable or was restarted empty. */
const FORGETFUL = {
  isShared: true,
  read: async () => new Map<string, string>(),
  add: async () => {},
  sweep: () => {},
};

/**
 * Whether the client can continue. A stored response that began with reasoning before a search cannot be
 * continued by its id: its chain ends in the search, which only the lost session could explain.
 */
const canGoOn = ({ client, isStream, thinks }: Row) =>
  !(/previous_\w+_id/.test(client.name) && isStream && thinks);

describe('a client behind a proxy that has lost every hidden turn', () => {
  const rows = sampleOfWays(ALL_ROWS.filter(canGoOn));
  test.each(rows.map((row) => [title(row), row] as const))('%s', async (_, row) => {
    const model = playModel({ ...SEARCHING_CONVERSATION, thinks: row.thinks });
    const direct = await startUpstream({ model });
    onTestFinished(() => direct.close());
    const stack = await startStack({ model, ...optionsOf(row), effects: { sessions: FORGETFUL } });
    const userMessages = USER_MESSAGES.slice(0, SEARCHING_CONVERSATION.turns.length);
    const tap = await startTap(stack.proxyUrl);
    const request = { ...row, tools: TOOLS, userMessages };
    const expected = await row.client.converse({ ...request, url: direct.url });
    const actual = await row.client.converse({ ...request, url: tap.url });
    expect(actual).toEqual(expected);
    expect(TRACES.filter((trace) => tap.toClient().includes(trace))).toEqual([]);
    expect(stack.records.map(({ status }) => status)).toEqual(stack.records.map(() => 200));
  });
});
