import type { FindingState } from '../finding.ts';
import type { Verdict } from '../verdict.ts';
import { type Html, html } from './html.ts';

const STATE_WORDS: Readonly<Record<FindingState, string>> = {
  clear: 'clear',
  unclear: 'too little',
  against: 'against',
};

/** The verdict with every number and limit that it rests on. */
export function renderVerdict({ step, next, state, summary, findings, notes }: Verdict): Html {
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
