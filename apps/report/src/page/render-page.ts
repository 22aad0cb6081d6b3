import type { FindingState } from '../finding.ts';
import type { Report } from '../report.ts';
import type { Sections } from '../sections.ts';
import { moneyHeadline } from '../tables/money-part.ts';
import type { Part, PartId } from '../tables/part.ts';
import { partsOf } from '../tables/parts.ts';
import { formatPeriod } from '../text/format.ts';
import type { Verdict } from '../verdict.ts';
import { type Figure, renderFigure } from './figure.ts';
import { fallbacksFigures } from './figures/fallbacks-figures.ts';
import { latencyFigures } from './figures/latency-figures.ts';
import { searchesFigures } from './figures/searches-figures.ts';
import { toolsFigures } from './figures/tools-figures.ts';
import { trafficFigures } from './figures/traffic-figures.ts';
import { watchingFigures } from './figures/watching-figures.ts';
import { type Html, html, trusted } from './html.ts';
import { STYLE } from './style.ts';
import { renderTable } from './table.ts';
import { renderTiles } from './tiles.ts';

/** The plots of each part that has any. */
const FIGURES: Readonly<Partial<Record<PartId, (sections: Sections) => Figure[]>>> = {
  watching: watchingFigures,
  tools: toolsFigures,
  searches: searchesFigures,
  fallbacks: fallbacksFigures,
  latency: latencyFigures,
  traffic: trafficFigures,
};

/**
 * The whole report as one HTML page that needs nothing else: no network, no script. Texts from records are escaped, and the policy in its
 * head lets no script run and nothing be loaded, should one ever get through.
 */
export function renderPage(report: Report): string {
  const { traffic, verdict } = report;
  const isEmpty = traffic.exchanges === 0;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>Tool discovery report</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<main>
<h1>Tool discovery report</h1>
<p class="period">${formatPeriod(traffic)}</p>
${headlineOf(report)}
${renderVerdict(verdict)}
${isEmpty ? '' : renderTiles(report)}
${partsOf(report).map((part) => renderPart(part, isEmpty ? [] : (FIGURES[part.id]?.(report) ?? [])))}
<footer>Shares in brackets are 95% intervals. Tokens of tools are estimated from bytes. Times are universal.</footer>
</main>
</body>
</html>
`.markup;
}

/** In `partial`, readers look for measured money first. */
function headlineOf({ money }: Report): Html | string {
  const headline = moneyHeadline(money);
  return headline === undefined ? '' : html`<p class="headline">${headline}</p>`;
}

function renderPart({ id, title, sentences, tables }: Part, figures: readonly Figure[]): Html {
  return html`<section id="${id}">
<h2>${title}</h2>
${sentences.map((sentence) => html`<p class="lead">${sentence}</p>`)}
<div class="grid">${figures.map(renderFigure)}${tables.map(renderTable)}</div>
</section>`;
}

const STATE_WORDS: Readonly<Record<FindingState, string>> = {
  clear: 'clear',
  unclear: 'too little',
  against: 'against',
};

/** The verdict with every number and limit that it rests on. */
function renderVerdict({ step, next, state, summary, findings, notes }: Verdict): Html {
  const items = findings.map(
    (finding) =>
      html`<li class="${finding.state}"><span><span class="badge">${STATE_WORDS[finding.state]}</span></span><span>${finding.subject}</span><span class="value">${finding.value}</span><span class="limit">${finding.limit}</span></li>`,
  );
  return html`<section class="card verdict ${state}" id="verdict">
<h2>${titleOf(step, next)}</h2>
<p class="summary">${summary}</p>
${items.length === 0 ? '' : html`<ul class="findings">${items}</ul>`}
${notes.length === 0 ? '' : html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`}
</section>`;
}

function titleOf(step: Verdict['step'], next: Verdict['next']): string {
  if (step === undefined) return 'Verdict';
  return next === undefined ? `Verdict: staying at ${step}` : `Verdict: from ${step} to ${next}`;
}
