import { addUp, drawCharts } from './page-chart.js';
import { linkedId, linkTo, showDetail } from './page-detail.js';
import { byId, count, make, makeHead, plural, save } from './page-dom.js';
import { COLUMNS, Rows, toCsv, toJson } from './page-rows.js';

/** @import { ExchangeRow } from '../exchange-row.ts' */
/** @import { TimePoint } from '../page.ts' */

/** Number of rows shown at first, and by each "Show more"; fewer on a phone, where each takes more room. */
const ROWS_AT_ONCE = matchMedia('(max-width: 700px)').matches ? 15 : 100;

const table = byId('exchanges', HTMLTableElement);
const body = /** @type {HTMLTableSectionElement} */ (table.tBodies[0]);
const filter = byId('filter-words', HTMLInputElement);
const kind = byId('filter-kind', HTMLSelectElement);
const more = byId('more', HTMLButtonElement);
const pause = byId('pause', HTMLButtonElement);

const rows = new Rows();
let currency = 'USD';
/** @type {readonly TimePoint[] | undefined} */
let points;
const sorted = { column: /** @type {typeof COLUMNS[number]} */ (COLUMNS[0]), isDescending: true };
let mostShown = ROWS_AT_ONCE;
let isPaused = false;
let waiting = 0;
let isDue = false;

/**
 * Sets the currency, and the points of the whole period if they are known.
 *
 * @param {string} given
 * @param {readonly TimePoint[]} [whole]
 */
export function describe(given, whole) {
  currency = given;
  points = whole;
}

/** @type {(all: readonly ExchangeRow[]) => void} */
export function replaceRows(all) {
  rows.clear();
  for (const row of all) rows.add(row);
  showSoon();
  openLinked();
}

/** @type {(row: ExchangeRow) => void} */
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
 * @param {readonly ExchangeRow[]} shown
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

/** @type {(row: ExchangeRow) => HTMLTableRowElement} */
function rowElement(row) {
  const cells = COLUMNS.map((column) => {
    const text = column.text(row, currency);
    if (column.name !== 'time') return make('td', { 'data-label': column.title, text });
    const label = `${text}, details of ${row.model ?? 'an exchange'}`;
    return make('td', {}, make('a', { href: linkTo(row.id), text, 'aria-label': label }));
  });
  return make('tr', { id: `row-${row.n}`, class: row.isFailed ? 'failed' : undefined }, ...cells);
}

/** @type {(fitting: readonly ExchangeRow[]) => void} */
function showChart(fitting) {
  // Without a filter, points of the whole period are better than those of the rows that are held.
  const isFiltered = filter.value.trim() !== '' || kind.value !== 'all';
  drawCharts(points !== undefined && !isFiltered ? points : addUp(fitting), currency);
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
addEventListener('resize', showSoon);
