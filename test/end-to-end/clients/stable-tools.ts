import { memberText, type ReceivedRequest } from '@winnow/testkit';
import { expect } from 'vitest';
import type { Row } from './rows.ts';
import { SEARCH_TOOL } from './traces.ts';

/** Number of rounds of the whole conversation that the client does not see. */
export const hiddenRoundsOf = (row: Row): number => HIDDEN_ROUNDS + (hasOwnSearch(row) ? 1 : 0);

/** Responses with nothing but searches: one, two, one, and five up to the limit. */
const HIDDEN_ROUNDS = 9;

/**
 * A model with the vendor's own tool search cannot know that nothing is left to find, so it searches once
 * more.
 */
const hasOwnSearch = ({ client, loadMode }: Row) => client.format === 'responses' && loadMode === 'native';

/**
 * Checks that tools are only added, and do not change at all in native and bridge mode, because the
 * provider's prompt cache begins with the tools.
 */
export function expectStableTools(requests: readonly ReceivedRequest[], row: Row): void {
  const isNested = row.client.format === 'converse';
  const holderOf = (text: string) => (isNested ? (memberText(text, 'toolConfig') ?? '{}') : text);
  const tools = requests.map(({ text }) => memberText(holderOf(text), 'tools') ?? '');
  if (row.loadMode !== 'swap') {
    const withSearch = tools.filter((text) => !hasOwnSearch(row) || text.includes('"tool_search"'));
    expect(new Set(withSearch).size).toBe(1);
    expect(tools.length - withSearch.length).toBe(hasOwnSearch(row) ? 1 : 0);
    return;
  }
  const withSearch = tools.filter((text) => text.includes(SEARCH_TOOL));
  // One request has all tools and no search tool: the one after the last resolved search.
  expect(tools.length - withSearch.length).toBe(1);
  for (const [number, text] of withSearch.entries()) {
    const before = withSearch[number - 1];
    if (before) expect(text.startsWith(before.replace(/[\]}]+$/, ''))).toBe(true);
  }
}
