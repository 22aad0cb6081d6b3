import { memberText, playModel, type ReceivedRequest, startUpstream } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { optionsOf, ROWS, type Row, title } from './clients/rows.ts';
import { CONVERSATION, SEARCHING_CONVERSATION, TOOLS, USER_MESSAGES } from './conversation-plan.ts';
import { startStack } from './start-stack.ts';
import { startTap } from './tap.ts';

const SEARCH_TOOL = 'gateway_search_tools';

/** The same, and how it reads within base64, wherever it begins there: without the characters that also hold bits of what stands around it. */
const TRACES = [
  SEARCH_TOOL,
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${SEARCH_TOOL}`)
      .toString('base64')
      .slice(offset === 0 ? 0 : offset + 1, -4),
  ),
];

/** Answers with nothing but searches: one, two, one, and five up to the limit. */
const HIDDEN_ROUNDS = 9;

/** A model that has the vendor's own tool search cannot tell that there is nothing left to find, and asks once more. */
const hasOwnSearch = ({ client, loadMode }: Row) => client.format === 'responses' && loadMode === 'native';

describe('a client behind the proxy', () => {
  test.each(ROWS.map((row) => [title(row), row] as const))('%s', async (_, row) => {
    const model = playModel({ ...CONVERSATION, thinks: row.thinks });
    const direct = await startUpstream({ model });
    onTestFinished(() => direct.close());
    const stack = await startStack({ model, ...optionsOf(row) });
    const tap = await startTap(stack.proxyUrl);
    const request = { ...row, tools: TOOLS, userMessages: USER_MESSAGES };

    const expected = await row.client.converse({ ...request, url: direct.url });
    const actual = await row.client.converse({ ...request, url: tap.url });

    // The conversation is the one that the client would have had.
    expect(actual).toEqual(expected);
    expect(expected.length).toBeGreaterThan(18);
    // A strict provider found nothing wrong, on any turn, and was never asked twice.
    expect(direct.rejected().map(({ rejection }) => rejection)).toEqual([]);
    expect(stack.upstream.rejected().map(({ rejection }) => rejection)).toEqual([]);
    expect(stack.records.filter(({ restoredBecause }) => restoredBecause)).toEqual([]);
    // The model really had to search.
    expect(stack.upstream.requests.length).toBe(
      expected.length + HIDDEN_ROUNDS + (hasOwnSearch(row) ? 1 : 0),
    );
    // Nothing of it reached the client.
    expect(TRACES.filter((trace) => tap.toClient().includes(trace))).toEqual([]);
    expect(tap.toClient().length).toBeGreaterThan(1_000);
    expect(tap.toClient().includes('tool_search')).toBe(false);
    expectStableTools(stack.upstream.requests, row);
  });
});

/** A store that keeps nothing, as one that is away or was restarted empty. */
const FORGETFUL = {
  isShared: true,
  read: async () => new Map<string, string>(),
  add: async () => {},
  sweep: () => {},
};

/** A stored response that has begun with reasoning ahead of a search cannot be gone on from by its id: its chain ends in the search, which only a note could tell. */
const canGoOn = ({ client, isStream, thinks }: Row) =>
  !(/previous_\w+_id/.test(client.name) && isStream && thinks);

describe('a client behind a proxy that has lost every hidden turn', () => {
  test.each(ROWS.filter(canGoOn).map((row) => [title(row), row] as const))('%s', async (_, row) => {
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

/** The provider's prompt cache begins with the tools: they may only grow, and natively they do not change at all. */
function expectStableTools(requests: readonly ReceivedRequest[], row: Row): void {
  const isNested = row.client.format === 'converse';
  const holderOf = (text: string) => (isNested ? (memberText(text, 'toolConfig') ?? '{}') : text);
  const tools = requests.map(({ text }) => memberText(holderOf(text), 'tools') ?? '');
  if (row.loadMode === 'native') {
    const withSearch = tools.filter((text) => !hasOwnSearch(row) || text.includes('"tool_search"'));
    expect(new Set(withSearch).size).toBe(1);
    expect(tools.length - withSearch.length).toBe(hasOwnSearch(row) ? 1 : 0);
    return;
  }
  const withSearch = tools.filter((text) => text.includes(SEARCH_TOOL));
  // One request has everything and no search tool: the one after the last search that was answered.
  expect(tools.length - withSearch.length).toBe(1);
  for (const [number, text] of withSearch.entries()) {
    const before = withSearch[number - 1];
    if (before) expect(text.startsWith(before.replace(/[\]}]+$/, ''))).toBe(true);
  }
}
