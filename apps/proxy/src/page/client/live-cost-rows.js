import { clock, count } from './live-numbers.js';

/** @import { ServerCost, ToolCost, ToolCostTable } from '@winnow/core' */
/**
 * A server or a tool in the table; `parts` are the tools of a server.
 *
 * @typedef {Pick<ServerCost, 'server' | 'tokens' | 'shown' | 'shownTokens' | 'found' | 'loads' | 'calls' | 'lastCall'>
 *   & { readonly name: string, readonly parts: number | undefined, readonly uncalled: number,
 *       readonly isJudged: boolean }} CostRow
 */
/**
 * @typedef {{
 *   readonly name: string,
 *   readonly title: string,
 *   readonly text: (row: CostRow) => string,
 *   readonly order: (row: CostRow) => number | string,
 * }} CostColumn
 */

/** @type {(name: 'tokens' | 'shown' | 'shownTokens' | 'found' | 'loads', title: string) => CostColumn} */
const counted = (name, title) => ({
  name,
  title,
  text: (row) => count.format(row[name]),
  order: (row) => row[name],
});

/** @type {readonly CostColumn[]} */
export const COST_COLUMNS = [
  { name: 'name', title: 'Name', text: ({ name }) => name, order: ({ name }) => name },
  { name: 'parts', title: 'Tools', text: partsOf, order: ({ parts = 1 }) => parts },
  counted('tokens', 'Tokens'),
  counted('shown', 'Shown'),
  counted('shownTokens', 'Tokens shown'),
  counted('found', 'Found'),
  counted('loads', 'Loaded'),
  { name: 'calls', title: 'Calls', text: callsOf, order: ({ calls }) => calls },
  {
    name: 'lastCall',
    title: 'Last call',
    text: ({ lastCall }) => (lastCall === undefined ? '–' : clock(Date.parse(lastCall))),
    order: ({ lastCall = '' }) => lastCall,
  },
];

/** @type {(row: CostRow) => string} */
function partsOf({ parts, uncalled }) {
  if (parts === undefined) return '–';
  return uncalled === 0
    ? count.format(parts)
    : `${count.format(parts)}, ${count.format(uncalled)} never called`;
}

/** @type {(row: CostRow) => string} */
function callsOf({ calls, isJudged, parts }) {
  if (calls === 0 && parts === undefined) return isJudged ? 'never' : 'unknown';
  return count.format(calls);
}

/**
 * Returns the rows of a kind (`servers`, `tools` or `uncalled`) that contain all words, in the order of a column.
 * Rows alike in it are in the order of what they cost.
 *
 * @param {ToolCostTable} table
 * @param {{ readonly words: string, readonly kind: string }} filter
 * @param {{ readonly column: CostColumn, readonly isDescending: boolean }} sorted
 * @returns {CostRow[]}
 */
export function chooseCosts({ tools, servers }, { words, kind }, { column, isDescending }) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const all = kind === 'servers' ? servers.map(rowOfServer) : tools.map(rowOfTool);
  const fitting = all.filter(
    ({ name, calls, isJudged }) =>
      (kind !== 'uncalled' || (calls === 0 && isJudged)) &&
      wanted.every((word) => name.toLowerCase().includes(word)),
  );
  const sign = isDescending ? -1 : 1;
  const keyed = fitting.map((row) => ({ row, key: column.order(row) }));
  keyed.sort((a, b) => (a.key === b.key ? 0 : sign * (a.key < b.key ? -1 : 1)));
  return keyed.map(({ row }) => row);
}

/** @type {(server: ServerCost) => CostRow} */
function rowOfServer({ tools, ...server }) {
  return { ...server, name: server.server || '(no server in the name)', parts: tools, isJudged: true };
}

/** @type {(tool: ToolCost) => CostRow} */
function rowOfTool({ judged, ...tool }) {
  return { ...tool, parts: undefined, uncalled: 0, isJudged: judged > 0 };
}
