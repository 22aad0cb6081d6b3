import { COST_COLUMNS, chooseCosts } from './live-cost-rows.js';
import { byId, make } from './live-elements.js';
import { costsToCsv, save } from './live-export.js';
import { makeHead } from './live-head.js';
import { count, plural } from './live-numbers.js';
import { ask } from './live-requests.js';

/** @import { ToolCostTable } from '@winnow/core' */

/** Number of rows shown at first, and by each "Show more". */
const COSTS_AT_ONCE = 25;
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
  if (!response.ok) return;
  costs = await response.json();
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
