import { GROUPS } from '../conformance-case.ts';
import { commandFor, failuresIn, type Result } from '../result.ts';
import type { Row } from '../run.ts';
import { escapeMarkup } from './escape-markup.ts';

/** Writes the result as JUnit XML: a suite for each group, a test for each case and format. */
export function writeJunit(result: Result): string {
  const { verdicts, skipped } = result;
  const suites = GROUPS.map((group) => {
    const judged = verdicts.filter((row) => row.group === group);
    const left = skipped.filter((row) => row.group === group);
    const tests = [
      ...judged.map((row) =>
        test(
          row,
          row.faults.map((fault) => failure(fault, commandFor(result, row))),
          row.ms,
        ),
      ),
      ...left.map((row) => test(row, [`      <skipped message="${escapeMarkup(row.reason)}"/>`], 0)),
    ];
    const failed = judged.filter(({ faults }) => faults.length > 0).length;
    return `  <testsuite name="${group}" tests="${tests.length}" failures="${failed}" skipped="${left.length}">\n${tests.join('')}  </testsuite>\n`;
  });
  const total = verdicts.length + skipped.length;
  const counts = `tests="${total}" failures="${failuresIn(result).length}" skipped="${skipped.length}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="conformance" ${counts} time="${result.seconds.toFixed(1)}">\n${suites.join('')}</testsuites>\n`;
}

function test({ id, format, promise }: Row, inside: readonly string[], ms: number): string {
  const name = escapeMarkup(`${id}: ${promise}`);
  const open = `    <testcase classname="${format}" name="${name}" time="${(ms / 1_000).toFixed(3)}"`;
  return inside.length === 0 ? `${open}/>\n` : `${open}>\n${inside.join('\n')}\n    </testcase>\n`;
}

function failure(fault: string, command: string): string {
  return `      <failure message="${escapeMarkup(fault)}">${escapeMarkup(command)}</failure>`;
}
