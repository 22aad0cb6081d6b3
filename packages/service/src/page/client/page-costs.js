import { byId, clock, count, csvOf, make, makeHead, plural, save } from './page-dom.js';
import { ask } from './page-source.js';

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

/** The columns of a file of servers or tools, in order. */
const COST_FIELDS = /** @type {const} */ ([
  'name',
  'server',
  'parts',
  'uncalled',
  'tokens',
  'shown',
  'shownTokens',
  'found',
  'loads',
  'calls',
  'lastCall',
]);

/** @type {(rows: readonly CostRow[]) => string} */
export const costsToCsv = (rows) =>
  csvOf(
    COST_FIELDS,
    rows.map((row) => COST_FIELDS.map((name) => row[name])),
  );

/** Number of rows shown at first, and by each "Show more"; fewer on a phone. */
const COSTS_AT_ONCE = matchMedia('(max-width: 700px)').matches ? 8 : 25;
/** Interval between two requests for the table, in milliseconds. */
const COSTS_EVERY_MS = 5_000;

const costTable = byId('costs-table', HTMLTableElement);
const costWords = byId('costs-words', HTMLInputElement);
const costKind = byId('costs-kind', HTMLSelectElement);
const moreCosts = byId('costs-more', HTMLButtonElement);
const sortedCosts = {
  column: /** @type {typeof COST_COLUMNS[number]} */ (COST_COLUMNS[4]),
  isDescending: true,
};

/** @type {ToolCostTable} */
let costs = { tools: [], servers: [], listed: 0, unlisted: 0, dropped: 0 };
let mostCosts = COSTS_AT_ONCE;
let askedAt = Number.NEGATIVE_INFINITY;
let askedFor = -1;

/**
 * Asks for the table again, unless nothing has happened since or it was asked for just now.
 *
 * @param {number} exchanges number of exchanges so far
 */
export async function refreshCosts(exchanges) {
  if (exchanges === askedFor || performance.now() - askedAt < COSTS_EVERY_MS) return;
  askedAt = performance.now();
  askedFor = exchanges;
  const response = await ask('/_winnow/tools');
  if (response.ok) useCosts(await response.json());
}

/** @type {(table: ToolCostTable) => void} */
export function useCosts(table) {
  costs = table;
  showCosts();
}

const chosenCosts = () => chooseCosts(costs, { words: costWords.value, kind: costKind.value }, sortedCosts);

function showCosts() {
  byId('costs', HTMLElement).hidden = costs.tools.length === 0;
  const fitting = chosenCosts();
  const shown = fitting.slice(0, mostCosts);
  moreCosts.hidden = fitting.length <= mostCosts;
  const word = costKind.value === 'servers' ? 'server' : 'tool';
  byId('costs-shown', HTMLElement).textContent =
    `${count.format(shown.length)} of ${plural(fitting.length, word)}, in ${plural(costs.listed, 'exchange')}`;
  const rows = shown.map((row) =>
    make(
      'tr',
      {},
      ...COST_COLUMNS.map((column) => make('td', { 'data-label': column.title, text: column.text(row) })),
    ),
  );
  costTable.tBodies[0]?.replaceChildren(...rows);
}

function showCostsAnew() {
  mostCosts = COSTS_AT_ONCE;
  showCosts();
}

makeHead(costTable, COST_COLUMNS, sortedCosts, showCosts);
costWords.addEventListener('input', showCostsAnew);
costKind.addEventListener('change', showCostsAnew);
moreCosts.addEventListener('click', () => {
  mostCosts += COSTS_AT_ONCE;
  showCosts();
});
byId('costs-csv', HTMLButtonElement).addEventListener('click', () =>
  save('winnow-tools.csv', 'text/csv', costsToCsv(chosenCosts())),
);
