import type { Table } from '../tables/part.ts';
import { type Html, html } from './html.ts';

/** More columns than this need the whole width of the page. */
const MOST_COLUMNS = 6;

/** A table with its title and note; numbers to the right. It scrolls by itself where the screen is narrower than it. */
export function renderTable({ title, columns, rows, textColumns = 1, note }: Table): Html {
  const kind = (index: number) => (index < textColumns ? 'text' : 'number');
  const head = columns.map((column, index) => html`<th scope="col" class="${kind(index)}">${column}</th>`);
  const body = rows.map(
    (row) => html`<tr>${row.map((cell, index) => renderCell(cell, index, kind(index)))}</tr>`,
  );
  return html`<div class="${columns.length > MOST_COLUMNS ? 'table broad' : 'table'}">
<h3>${title}</h3>
<div class="scroll" tabindex="0" role="group" aria-label="${title}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>
${note === undefined ? '' : html`<p class="note">${note}</p>`}
</div>`;
}

function renderCell(cell: string, index: number, kind: string): Html {
  return index === 0
    ? html`<th scope="row" class="${kind}">${cell}</th>`
    : html`<td class="${kind}">${cell}</td>`;
}
