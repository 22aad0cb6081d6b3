import { isUncalled, printable, type ServerCost, type ToolCost } from '@winnow/core';
import type { Sections } from '../sections.ts';
import { formatCount, formatTime } from '../text/format.ts';
import type { Part, Table } from './cells.ts';

/** Number of rows of a table; `--json` has all of them. */
const MOST_ROWS = 50;

/** Returns the cost of each server and tool; undefined if no record names its tools. */
export function toolCostsPart({ toolCosts }: Sections): Part | undefined {
  const { tools, servers, listed, unlisted, dropped } = toolCosts;
  if (listed === 0) return undefined;
  const uncalled = tools.filter(isUncalled);
  const wasted = uncalled.reduce((sum, { shownTokens }) => sum + shownTokens, 0);
  const shown = tools.reduce((sum, { shownTokens }) => sum + shownTokens, 0);
  return {
    id: 'tool-costs',
    title: 'Servers and tools',
    sentences: [
      `${formatCount(listed)} exchanges name their tools${unlisted > 0 ? `, ${formatCount(unlisted)} do not` : ''}: ${formatCount(tools.length)} tools of ${formatCount(servers.length)} servers. Showing them took about ${formatCount(shown)} tokens.`,
      ...(uncalled.length > 0
        ? [
            `${formatCount(uncalled.length)} tools were never called; showing them took about ${formatCount(wasted)} tokens.`,
          ]
        : []),
      ...(dropped > 0 ? [`${formatCount(dropped)} tools are left out: there are too many names.`] : []),
    ],
    tables: [serversTable(servers), toolsTable('Tools', tools), toolsTable('Tools never called', uncalled)],
  };
}

function serversTable(servers: readonly ServerCost[]): Table {
  return {
    title: 'Servers',
    columns: ['Server', 'Tools', 'Never called', ...COUNTS],
    rows: servers
      .slice(0, MOST_ROWS)
      .map((server) => [
        server.server === '' ? '(no server in the name)' : printable(server.server),
        formatCount(server.tools),
        formatCount(server.uncalled),
        ...countCells(server),
        formatCount(server.calls),
        lastCall(server),
      ]),
    note: noteOf(servers.length),
  };
}

function toolsTable(title: string, tools: readonly ToolCost[]): Table {
  return {
    title,
    columns: ['Tool', ...COUNTS],
    rows: tools
      .slice(0, MOST_ROWS)
      .map((tool) => [
        printable(tool.name),
        ...countCells(tool),
        tool.judged === 0 && tool.calls === 0 ? 'unknown' : formatCount(tool.calls),
        lastCall(tool),
      ]),
    note: noteOf(tools.length),
  };
}

/** Columns that servers and tools have in common. */
const COUNTS = ['Tokens', 'Shown', 'Tokens shown', 'Found', 'Loaded', 'Calls', 'Last call (UTC)'];

function countCells({
  tokens,
  shown,
  shownTokens,
  found,
  loads,
}: Omit<ServerCost, 'server'> | ToolCost): string[] {
  return [tokens, shown, shownTokens, found, loads].map(formatCount);
}

function lastCall({ lastCall: time }: Pick<ToolCost, 'lastCall'>): string {
  return time === undefined ? '–' : formatTime(time);
}

function noteOf(count: number): string | undefined {
  return count > MOST_ROWS ? `The ${MOST_ROWS} that cost most, of ${formatCount(count)}.` : undefined;
}
