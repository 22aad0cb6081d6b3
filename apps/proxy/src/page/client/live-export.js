/** @import { LiveRow } from '../live-row.ts' */

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
  const lines = rows.map((row) => FIELDS.map((name) => csvCell(fieldOf(row, name))).join(','));
  return `${[FIELDS.join(','), ...lines].join('\r\n')}\r\n`;
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
