/** @import { LiveRow } from '../live-row.ts' */
/** @import { Column } from './live-columns.js' */
/** @typedef {{ readonly row: LiveRow, readonly text: string }} Held */
/** @typedef {{ readonly words: string, readonly kind: string }} Filter */

/** Maximum number of rows; the proxy holds as many. */
const MOST_HELD = 10_000;

/** @type {Record<string, (row: LiveRow) => boolean>} */
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
   * @param {LiveRow} row
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

  /** @type {(id: string) => LiveRow | undefined} */
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
   * @returns {LiveRow[]}
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
