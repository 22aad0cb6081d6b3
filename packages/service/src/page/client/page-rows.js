import { clock, count, csvOf, money, ms, plural, share, signedRange, words } from './page-dom.js';

/** @import { ExchangeRow } from '../exchange-row.ts' */

/**
 * A column of the table: its title, the text of its cells, and what it is sorted by.
 *
 * @typedef {{
 *   readonly name: string,
 *   readonly title: string,
 *   readonly text: (row: ExchangeRow, currency: string) => string,
 *   readonly order: (row: ExchangeRow) => number | string,
 * }} Column
 */

/** @type {readonly Column[]} */
export const COLUMNS = [
  { name: 'time', title: 'Time', text: ({ time }) => clock(time), order: ({ n }) => n },
  { name: 'model', title: 'Model', text: ({ model }) => model ?? '–', order: ({ model = '' }) => model },
  { name: 'format', title: 'Format', text: ({ format }) => format, order: ({ format }) => format },
  { name: 'tools', title: 'Tools', text: toolsOf, order: ({ tools }) => tools },
  { name: 'searches', title: 'Searches', text: searchesOf, order: ({ searches }) => searches },
  {
    name: 'rounds',
    title: 'Rounds',
    text: ({ rounds }) => count.format(rounds),
    order: ({ rounds }) => rounds,
  },
  { name: 'added', title: 'Added', text: ({ addedMs }) => ms(addedMs), order: ({ addedMs }) => addedMs },
  {
    name: 'cost',
    title: 'Cost',
    text: ({ cost }, currency) => (cost === undefined ? '–' : money(cost, currency)),
    order: ({ cost = -1 }) => cost,
  },
  {
    name: 'saved',
    title: 'Saved or lost',
    text: savedOf,
    order: ({ savedLow: low, savedHigh: high }) =>
      low === undefined || high === undefined ? Number.NEGATIVE_INFINITY : low + high,
  },
  { name: 'outcome', title: 'Outcome', text: outcomeOf, order: outcomeOf },
];

/**
 * Says what deferring was expected to do.
 *
 * @param {{ readonly freedTokens: number, readonly bill: number }} expected
 * @param {string} plan
 */
export function expectedWords({ freedTokens, bill }, plan) {
  const change = bill - 1;
  const cost = `cost about ${share.format(Math.abs(change))} ${change < 0 ? 'less' : 'more'}`;
  const tokens = `${count.format(freedTokens)} tokens of tools`;
  return plan === 'few_savings' ? `deferring ${tokens} would ${cost}` : `frees ${tokens}, should ${cost}`;
}

/** @type {(row: Pick<ExchangeRow, 'arm' | 'tools' | 'shown' | 'deferred' | 'plan' | 'expected'>) => string} */
export function toolsOf({ arm, tools, shown, deferred, plan, expected }) {
  if (plan === 'few_savings' && expected !== undefined)
    return `${count.format(tools)}, left alone: ${expectedWords(expected, plan)}`;
  if (tools === 0) return plan === 'not_read' ? 'not read' : 'none';
  if (deferred === 0) return `${count.format(tools)}, all shown (${words(plan)})`;
  const text = `${count.format(shown)} of ${count.format(tools)}`;
  return arm === 'full' ? `${text} shown` : `${text} would be shown`;
}

/** @type {(row: Pick<ExchangeRow, 'searches' | 'loaded'>) => string} */
function searchesOf({ searches, loaded }) {
  if (searches === 0) return 'none';
  return loaded === 0
    ? count.format(searches)
    : `${count.format(searches)}, ${plural(loaded, 'tool')} loaded`;
}

/** @type {(row: Pick<ExchangeRow, 'savedLow' | 'savedHigh'>, currency: string) => string} */
export function savedOf({ savedLow: low, savedHigh: high }, currency) {
  return low === undefined || high === undefined ? '–' : signedRange({ low, high }, currency);
}

/** @type {(row: Pick<ExchangeRow, 'outcome' | 'status' | 'cause' | 'restored'>) => string} */
export function outcomeOf({ outcome, status, cause, restored }) {
  const parts = [outcome, status, cause].filter((part) => part !== undefined);
  const text = outcome === 'client_gone' ? 'client left' : parts.join(' ');
  return restored === undefined ? text : `${text}, restored: ${words(restored)}`;
}

/** @typedef {{ readonly row: ExchangeRow, readonly text: string }} Held */
/** @typedef {{ readonly words: string, readonly kind: string }} Filter */

/** Maximum number of rows; the proxy holds as many. */
const MOST_HELD = 10_000;

/** @type {Record<string, (row: ExchangeRow) => boolean>} */
const KINDS = {
  all: () => true,
  deferred: ({ arm, deferred }) => arm === 'full' && deferred > 0,
  searched: ({ searches }) => searches > 0,
  failed: ({ isFailed }) => isFailed,
  restored: ({ restored }) => restored !== undefined,
  lost: ({ savedHigh = 0 }) => savedHigh < 0,
};

/** The exchanges that the page holds. */
export class Rows {
  /** @type {Map<number, Held>} */
  #held = new Map();

  get size() {
    return this.#held.size;
  }

  clear() {
    this.#held.clear();
  }

  /**
   * Adds a row, unless it is held. Rows come in the order of their numbers; the oldest makes room.
   *
   * @param {ExchangeRow} row
   */
  add(row) {
    if (this.#held.has(row.n)) return;
    const {
      model = '',
      format,
      upstream,
      session = '',
      agent = '',
      id,
      plan,
      outcome,
      status,
      restored,
    } = row;
    const parts = [model, format, upstream, session, agent, id, plan, outcome, status, restored];
    this.#held.set(row.n, { row, text: parts.join(' ').toLowerCase() });
    const [oldest] = this.#held.size > MOST_HELD ? this.#held.keys() : [];
    if (oldest !== undefined) this.#held.delete(oldest);
  }

  /** @type {(id: string) => ExchangeRow | undefined} */
  find(id) {
    for (const { row } of this.#held.values()) if (row.id === id) return row;
    return undefined;
  }

  /**
   * Returns the rows that fit the filter, in the order of a column. Rows alike in it stay in the order of time,
   * the newest first.
   *
   * @param {Filter} filter
   * @param {Pick<Column, 'order'>} column
   * @param {boolean} isDescending
   * @returns {ExchangeRow[]}
   */
  choose({ words, kind }, { order }, isDescending) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const isOfKind = KINDS[kind] ?? (() => true);
    const fitting = [];
    for (const { row, text } of this.#held.values()) {
      if (isOfKind(row) && wanted.every((word) => text.includes(word)))
        fitting.push({ row, key: order(row) });
    }
    const sign = isDescending ? -1 : 1;
    fitting.sort((a, b) => (a.key === b.key ? b.row.n - a.row.n : sign * (a.key < b.key ? -1 : 1)));
    return fitting.map(({ row }) => row);
  }
}

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
 * @param {readonly ExchangeRow[]} rows
 */
export function toCsv(rows) {
  return csvOf(
    FIELDS,
    rows.map((row) => FIELDS.map((name) => fieldOf(row, name))),
  );
}

/** @type {(rows: readonly ExchangeRow[]) => string} */
export const toJson = (rows) =>
  JSON.stringify(rows.map((row) => Object.fromEntries(FIELDS.map((name) => [name, fieldOf(row, name)]))));

/** @type {(row: ExchangeRow, name: typeof FIELDS[number]) => string | number | undefined} */
const fieldOf = (row, name) => (name === 'time' ? new Date(row.time).toISOString() : row[name]);
