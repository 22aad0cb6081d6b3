import type { ServerCost, ToolCostTable } from '@winnow/core';
import type { WatchedEntry } from '@winnow/service';
import { BoundedLabels } from './bounded-labels.ts';

/** Maximum number of servers with their own label. */
const MOST_SERVERS = 50;

/** Returns metrics of what the tools of each MCP server cost. The label is a prefix of tool names, which clients write. */
export function serverMetrics(table: () => ToolCostTable): Readonly<Record<string, WatchedEntry>> {
  const labels = new BoundedLabels(MOST_SERVERS);
  const sum = (read: (server: ServerCost) => number) => () => {
    const sums: Record<string, number> = {};
    for (const server of table().servers) {
      const label = server.server === '' ? 'none' : labels.labelOf(server.server);
      sums[label] = (sums[label] ?? 0) + read(server);
    }
    return sums;
  };
  return {
    server_tools: ['Tools of requests, by MCP server.', sum(({ tools }) => tools), 'server'],
    server_uncalled_tools: [
      'Tools of requests that were never called, by MCP server.',
      sum(({ uncalled }) => uncalled),
      'server',
    ],
    server_definition_tokens: [
      'Estimated tokens of the definitions of all tools of an MCP server.',
      sum(({ tokens }) => tokens),
      'server',
    ],
    server_shown_tokens_total: [
      'Estimated tokens of definitions that were shown to models, by MCP server.',
      sum(({ shownTokens }) => shownTokens),
      'server',
    ],
    server_tool_loads_total: [
      'Tools made visible by searches, by MCP server.',
      sum(({ loads }) => loads),
      'server',
    ],
    server_tool_calls_total: ['Called tools, by MCP server.', sum(({ calls }) => calls), 'server'],
  };
}
