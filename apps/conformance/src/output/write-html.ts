import { GROUPS } from '../conformance-case.ts';
import { type Cell, cellOf, commandFor, failuresIn, formatsIn, type Result, summaryOf } from '../result.ts';
import type { Verdict } from '../run.ts';
import { escapeMarkup } from './escape-markup.ts';

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { border: 1px solid #8886; padding: .3rem .6rem; text-align: left; }
.passed { background: #2a82; } .failed { background: #c222; } pre { overflow-x: auto; padding: .5rem; background: #8882; }
:root { color-scheme: light dark; }`;

/** Writes the result as a page of its own, without scripts and without anything from elsewhere. */
export function writeHtml(result: Result): string {
  const formats = formatsIn(result);
  const rows = GROUPS.map(
    (group) =>
      `<tr><th scope="row">${group}</th>${formats.map((format) => cell(cellOf(result, group, format))).join('')}</tr>`,
  );
  const failures = failuresIn(result).map((verdict) => failure(verdict, commandFor(result, verdict)));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Conformance of a gateway</title>
<style>${STYLE}</style>
<h1>Conformance of a gateway</h1>
<p>${escapeMarkup(summaryOf(result))}</p>
<table>
<tr><th scope="col">group</th>${formats.map((format) => `<th scope="col">${format}</th>`).join('')}</tr>
${rows.join('\n')}
</table>
${failures.length === 0 ? '' : `<h2>What was not as promised</h2>\n${failures.join('\n')}`}
</html>
`;
}

function cell({ passed, judged, reason }: Cell): string {
  if (judged === 0) return `<td title="${escapeMarkup(reason ?? 'no case')}">–</td>`;
  return `<td class="${passed === judged ? 'passed' : 'failed'}">${passed} of ${judged}</td>`;
}

function failure({ id, format, promise, faults }: Verdict, command: string): string {
  const list = faults.map((fault) => `<li>${escapeMarkup(fault)}</li>`).join('');
  return `<h3>${id} <small>${format}</small></h3>\n<p>${escapeMarkup(promise)}</p>\n<ul>${list}</ul>\n<pre>${escapeMarkup(command)}</pre>`;
}
