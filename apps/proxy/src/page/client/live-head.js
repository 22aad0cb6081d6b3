import { make } from './live-elements.js';

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
