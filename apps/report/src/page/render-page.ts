import type { Report } from '../report.ts';
import { partsOf } from '../tables/parts.ts';
import { html } from './html.ts';
import { renderTable } from './table.ts';

/** The whole report as one HTML page that needs nothing else: no network, no script. */
export function renderPage(report: Report): string {
  const parts = partsOf(report).map(
    ({ id, title, tables }) =>
      html`<section id="${id}"><h2>${title}</h2>${tables.map(renderTable)}</section>`,
  );
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tool discovery report</title></head><body>${parts}</body></html>`
    .markup;
}
