import { make } from './live-elements.js';

/** @import { LiveRow } from '../live-row.ts' */
/** @import { CostRow } from './live-cost-rows.js' */

/** The columns of a file, in order. */
const FIELDS = /** @type {const} */ ([
  'time',
  'id',
  'model',
  'format',
  'upstream',
  'session',
  'agent',
  'arm',
  'plan',
  'tools',
  'shown',
  'deferred',
  'searches',
  'loaded',
  'rounds',
  'addedMs',
  'totalMs',
  'outcome',
  'status',
  'cause',
  'restored',
  'tokensBefore',
  'tokensAfter',
  'cost',
  'savedLow',
  'savedHigh',
]);

/**
 * Returns rows as CSV (RFC 4180). Texts that a spreadsheet would run as a formula get an apostrophe in front.
 *
 * @param {readonly LiveRow[]} rows
 */
export function toCsv(rows) {
  return csvOf(
    FIELDS,
    rows.map((row) => FIELDS.map((name) => fieldOf(row, name))),
  );
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

/** @type {(fields: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]) => string} */
function csvOf(fields, rows) {
  const lines = rows.map((cells) => cells.map(csvCell).join(','));
  return `${[fields.join(','), ...lines].join('\r\n')}\r\n`;
}

/**
 * Saves a text as a file.
 *
 * @type {(name: string, type: string, text: string) => void}
 */
export function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make('a', { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

/** @type {(rows: readonly LiveRow[]) => string} */
export const toJson = (rows) =>
  JSON.stringify(rows.map((row) => Object.fromEntries(FIELDS.map((name) => [name, fieldOf(row, name)]))));

/** @type {(row: LiveRow, name: typeof FIELDS[number]) => string | number | undefined} */
const fieldOf = (row, name) => (name === 'time' ? new Date(row.time).toISOString() : row[name]);

/** @type {(value: string | number | undefined) => string} */
function csvCell(value) {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
