import { GROUPS } from '../conformance-case.ts';
import { type Cell, cellOf, commandFor, failuresIn, formatsIn, type Result, summaryOf } from '../result.ts';

/** Writes a table of groups and formats, the failures with the command for each, and a summary. */
export function writeTerminal(result: Result): string {
  const formats = formatsIn(result);
  const head = ['', ...formats];
  const rows = GROUPS.map((group) => [
    group,
    ...formats.map((format) => cellText(cellOf(result, group, format))),
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd();
  const failures = failuresIn(result).map(
    (verdict) =>
      `✗ ${verdict.id} (${verdict.format}): ${verdict.promise}\n${verdict.faults.map((fault) => `    ${fault}\n`).join('')}    ${commandFor(result, verdict)}\n`,
  );
  const reasons = new Set(result.skipped.map(({ reason }) => reason));
  const notes = [...reasons].map((reason) => `– not judged: ${reason}`);
  return [...[head, ...rows].map(line), '', ...failures, ...notes, summaryOf(result), ''].join('\n');
}

function cellText({ passed, judged, reason }: Cell): string {
  if (judged > 0) return passed === judged ? `✓ ${judged}` : `✗ ${passed} of ${judged}`;
  return reason === undefined ? '' : '–';
}
