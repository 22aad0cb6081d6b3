import { CASES } from '../cases/cases.ts';
import { GROUPS } from '../conformance-case.ts';
import { type Cell, cellOf, commandFor, failuresIn, formatsIn, type Result, summaryOf } from '../result.ts';
import type { Verdict } from '../run.ts';
import { SOURCES } from '../sources.ts';

/**
 * Writes the failures with the command for each, a table of groups and formats, and a summary, which stands last so
 * that it is in sight.
 */
export function writeTerminal(result: Result): string {
  const reasons = new Set(result.skipped.map(({ reason }) => reason));
  const notes = [...reasons].map((reason) => `– not judged: ${reason}`);
  return [...failures(result), ...table(result), '', ...notes, summaryOf(result), ''].join('\n');
}

function table(result: Result): string[] {
  const formats = formatsIn(result);
  const head = ['', ...formats];
  const groups = GROUPS.filter((name) =>
    [...result.verdicts, ...result.skipped].some(({ group }) => group === name),
  );
  const rows = groups.map((group) => [
    group,
    ...formats.map((format) => cellText(cellOf(result, group, format))),
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns a paragraph for each kind of failure of each case; formats that fail alike share one. */
function failures(result: Result): string[] {
  const alike = Map.groupBy(
    failuresIn(result),
    ({ id, faults }) => `${id} ${[...new Set(faults.map(kindOf))].join()}`,
  );
  return [...alike.values()].map((verdicts) => failure(result, verdicts));
}

/** A finding without what differs from format to format. */
const kindOf = (fault: string): string => fault.replaceAll(/"(?:\\.|[^"\\])*"|\d+|[,:] .*/g, '');

function failure(result: Result, verdicts: readonly Verdict[]): string {
  const { id, promise, faults, format } = verdicts[0]!;
  const formats = verdicts.map((verdict) => verdict.format);
  const { sources = [], breaks } = CASES.find((one) => one.id === id) ?? {};
  const lines = [
    ...(formats.length > 1 ? [`in ${formats.join(', ')}; in ${format}:`] : []),
    ...faults,
    ...(breaks === undefined ? [] : [`without it: ${breaks}`]),
    ...sources.slice(0, 1).map((name) => `see ${SOURCES[name]}`),
    commandFor(result, { id, format: formats.join(',') }),
  ];
  const head = formats.length > 1 ? id : `${id} (${format})`;
  return `✗ ${head}: ${promise}\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

function cellText({ passed, judged, reason }: Cell): string {
  if (judged > 0) return passed === judged ? `✓ ${judged}` : `✗ ${passed} of ${judged}`;
  return reason === undefined ? '' : '–';
}
