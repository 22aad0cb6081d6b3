/**
 * Returns an element of the page. Throws if none has this id and kind.
 *
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${id}.`);
}

/**
 * Makes an element from its tag, text, attributes and children.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ readonly [attribute: string]: string | undefined }} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, { text, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

export const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
export const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** @type {(amount: number, currency: string) => string} */
export const money = (amount, currency) =>
  new Intl.NumberFormat('en', { style: 'currency', currency, maximumSignificantDigits: 3 }).format(amount);

/** @type {(range: { low: number, high: number }, currency: string) => string} */
export function signedRange({ low, high }, currency) {
  const signed = (/** @type {number} */ amount) =>
    `${amount < 0 ? '−' : '+'}${money(Math.abs(amount), currency)}`;
  return low === high ? signed(low) : `${signed(low)} to ${signed(high)}`;
}

/** @type {(time: number) => string} */
export const ms = (time) =>
  time >= 1000 ? `${(time / 1000).toFixed(2)} s` : `${time.toFixed(time >= 10 ? 0 : 1)} ms`;

/** @type {(time: number) => string} */
export const clock = (time) => new Date(time).toLocaleTimeString(undefined, { hour12: false });

/** @type {(number: number, word: string) => string} */
export const plural = (number, word) => `${count.format(number)} ${word}${number === 1 ? '' : 's'}`;

/** @type {(code: string | undefined) => string} */
export const words = (code) => String(code).replaceAll('_', ' ');

/**
 * A column that a table can be sorted by.
 *
 * @typedef {{ readonly title: string }} Titled
 */

/**
 * Makes a button of each column's title, which sorts by it, and by it the other way round.
 *
 * @template {Titled} Column
 * @param {HTMLTableElement} table
 * @param {readonly Column[]} columns
 * @param {{ column: Column, isDescending: boolean }} sorted the state, which a click changes
 * @param {() => void} onSort
 */
export function makeHead(table, columns, sorted, onSort) {
  const cells = columns.map((column) => {
    const button = make('button', { type: 'button', text: column.title });
    const cell = make('th', { scope: 'col' }, button);
    button.addEventListener('click', () => {
      sorted.isDescending = sorted.column === column ? !sorted.isDescending : true;
      sorted.column = column;
      markSorted();
      onSort();
    });
    return { cell, column };
  });
  const markSorted = () => {
    for (const { cell, column } of cells) {
      if (column !== sorted.column) cell.removeAttribute('aria-sort');
      else cell.setAttribute('aria-sort', sorted.isDescending ? 'descending' : 'ascending');
    }
  };
  markSorted();
  table.tHead?.replaceChildren(make('tr', {}, ...cells.map(({ cell }) => cell)));
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

/** @type {(fields: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]) => string} */
export function csvOf(fields, rows) {
  const lines = rows.map((cells) => cells.map(csvCell).join(','));
  return `${[fields.join(','), ...lines].join('\r\n')}\r\n`;
}

/** @type {(value: string | number | undefined) => string} */
function csvCell(value) {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
