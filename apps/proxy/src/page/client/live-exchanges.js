import { addUp, drawMoney, drawTokens } from './live-chart.js';
import { COLUMNS } from './live-columns.js';
import { linkedId, linkTo, showDetail } from './live-detail.js';
import { byId, make } from './live-elements.js';
import { save, toCsv, toJson } from './live-export.js';
import { makeHead } from './live-head.js';
import { count, plural } from './live-numbers.js';
import { Rows } from './live-rows.js';

/** @import { LiveRow } from '../live-row.ts' */

/** Number of rows shown at first, and by each "Show more". */
const ROWS_AT_ONCE = 100;

const table = byId('exchanges', HTMLTableElement);
const body = /** @type {HTMLTableSectionElement} */ (table.tBodies[0]);
const filter = byId('filter-words', HTMLInputElement);
const kind = byId('filter-kind', HTMLSelectElement);
const more = byId('more', HTMLButtonElement);
const pause = byId('pause', HTMLButtonElement);

const rows = new Rows();
let currency = 'USD';
const sorted = { column: /** @type {typeof COLUMNS[number]} */ (COLUMNS[0]), isDescending: true };
let mostShown = ROWS_AT_ONCE;
let isPaused = false;
let waiting = 0;
let isDue = false;

/** @type {(given: string) => void} */
export function useCurrency(given) {
  currency = given;
}

/** @type {(all: readonly LiveRow[]) => void} */
export function replaceRows(all) {
  rows.clear();
  for (const row of all) rows.add(row);
  showSoon();
  openLinked();
}

/** @type {(row: LiveRow) => void} */
export function addRow(row) {
  rows.add(row);
  if (!isPaused) return showSoon();
  waiting += 1;
  pause.textContent = `Go on (${waiting} more)`;
}

/** Shows the rows in the next frame: however many come until then, they are shown once. */
function showSoon() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    show();
  });
}

const chosen = () =>
  rows.choose({ words: filter.value, kind: kind.value }, sorted.column, sorted.isDescending);

function show() {
  const fitting = chosen();
  const shown = fitting.slice(0, mostShown);
  table.hidden = shown.length === 0;
  more.hidden = fitting.length <= mostShown;
  byId('none', HTMLElement).hidden = rows.size > 0;
  byId('shown', HTMLElement).textContent =
    rows.size === 0
      ? ''
      : `${count.format(shown.length)} of ${plural(fitting.length, 'exchange')}, ${count.format(rows.size)} held`;
  showRows(shown);
  showChart(fitting);
}

/**
 * Makes the table show these rows, in this order. A row that stays is not touched: it may have the focus.
 *
 * @param {readonly LiveRow[]} shown
 */
function showRows(shown) {
  const present = new Map([...body.rows].map((element) => [element.id, element]));
  const wanted = shown.map((row) => present.get(`row-${row.n}`) ?? rowElement(row));
  const staying = new Set(wanted);
  for (const element of present.values()) if (!staying.has(element)) element.remove();
  wanted.forEach((element, at) => {
    if (body.rows[at] !== element) body.insertBefore(element, body.rows[at] ?? null);
  });
}

/** @type {(row: LiveRow) => HTMLTableRowElement} */
function rowElement(row) {
  const cells = COLUMNS.map((column) => {
    const text = column.text(row, currency);
    if (column.name !== 'time') return make('td', { 'data-label': column.title, text });
    const label = `${text}, details of ${row.model ?? 'an exchange'}`;
    return make('td', {}, make('a', { href: linkTo(row.id), text, 'aria-label': label }));
  });
  return make('tr', { id: `row-${row.n}`, class: row.isFailed ? 'failed' : undefined }, ...cells);
}

/** @type {(fitting: readonly LiveRow[]) => void} */
function showChart(fitting) {
  const chart = byId('chart', HTMLElement);
  chart.hidden = fitting.length < 2;
  if (chart.hidden) return;
  const sums = addUp(fitting);
  byId('chart-tokens', HTMLElement).replaceChildren(drawTokens(sums));
  byId('chart-money', HTMLElement).replaceChildren(drawMoney(sums, currency));
}

/** Opens the exchange that the address names. */
function openLinked() {
  const id = linkedId();
  if (id !== undefined) void showDetail(id, rows.find(id), currency);
}

function showAnew() {
  mostShown = ROWS_AT_ONCE;
  showSoon();
}

makeHead(table, COLUMNS, sorted, showSoon);
filter.addEventListener('input', showAnew);
kind.addEventListener('change', showAnew);
more.addEventListener('click', () => {
  mostShown += ROWS_AT_ONCE;
  showSoon();
});
pause.addEventListener('click', () => {
  isPaused = !isPaused;
  waiting = 0;
  pause.setAttribute('aria-pressed', String(isPaused));
  pause.textContent = isPaused ? 'Go on' : 'Pause';
  showSoon();
});
byId('csv', HTMLButtonElement).addEventListener('click', () =>
  save('winnow-exchanges.csv', 'text/csv', toCsv(chosen())),
);
byId('json', HTMLButtonElement).addEventListener('click', () =>
  save('winnow-exchanges.json', 'application/json', toJson(chosen())),
);
addEventListener('hashchange', openLinked);
