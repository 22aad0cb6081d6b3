import type { Table } from '../tables/part.ts';
import type { Size } from './chart.ts';
import { type Html, html, trusted } from './html.ts';
import { renderTable } from './table.ts';

/** A plot with all that is needed to read it. */
export interface Figure {
  readonly title: string;
  /** A description in a sentence or two, for readers who cannot see the plot. */
  readonly description: string;
  readonly legend: readonly { readonly label: string; readonly colour: string }[];
  /** The number of rows of a plot of rows, which decides its height. Undefined for plots over an axis. */
  readonly rowCount?: number;
  /** An SVG element of that size. */
  readonly draw: (size: Size) => string;
  /** The plot's numbers, when no table of the part has them. */
  readonly table?: Table;
}

/** Widths of a drawing for a column of the page, and for a phone: the letters have the same size in both. */
const WIDE = 512;
const NARROW = 320;
const HEIGHT = 236;
const ROW_HEIGHT = 27;
const AXIS_HEIGHT = 36;

/** A figure in two drawings; the page's style shows the one that fits. */
export function renderFigure({ title, description, legend, rowCount, draw, table }: Figure): Html {
  const height = rowCount === undefined ? HEIGHT : rowCount * ROW_HEIGHT + AXIS_HEIGHT;
  const drawing = (kind: string, width: number) =>
    html`<div class="${kind}" role="img" aria-label="${`${title}. ${description}`}">${trusted(draw({ width, height }))}</div>`;
  return html`<figure>
<figcaption><h3>${title}</h3>${renderLegend(legend)}</figcaption>
${drawing('wide', WIDE)}${drawing('narrow', NARROW)}
<p class="note">${description}</p>
${table === undefined ? '' : html`<details><summary>The same as a table</summary>${renderTable(table)}</details>`}
</figure>`;
}

function renderLegend(legend: Figure['legend']): Html | string {
  if (legend.length === 0) return '';
  const keys = legend.map(
    ({ label, colour }) => html`<li><span class="key" style="background:${colour}"></span>${label}</li>`,
  );
  return html`<ul class="legend">${keys}</ul>`;
}
