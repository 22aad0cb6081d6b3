import type { Group } from './conformance-case.ts';
import type { FormatName } from './formats/client-format.ts';
import type { Row, Verdict } from './run.ts';

/** A case that was not judged in a format, and the reason. */
export interface Skipped extends Row {
  readonly reason: string;
}

/** The outcome of a run. */
export interface Result {
  readonly verdicts: readonly Verdict[];
  readonly skipped: readonly Skipped[];
  /** The command that judges one case again, without the name of the case. */
  readonly command: string;
  readonly seed: number;
  readonly seconds: number;
}

/** Judgements of one group in one format. */
export interface Cell {
  readonly passed: number;
  readonly judged: number;
  /** The reason if none was judged. */
  readonly reason: string | undefined;
}

/** Returns the judgements of a group in a format. */
export function cellOf({ verdicts, skipped }: Result, group: Group, format: FormatName): Cell {
  const isHere = (row: Row) => row.group === group && row.format === format;
  const judged = verdicts.filter(isHere);
  const [first] = skipped.filter(isHere);
  return {
    passed: judged.filter(({ faults }) => faults.length === 0).length,
    judged: judged.length,
    reason: first?.reason,
  };
}

/** Returns the judgements that found a fault. */
export function failuresIn({ verdicts }: Result): Verdict[] {
  return verdicts.filter(({ faults }) => faults.length > 0);
}

/** Returns the formats of a result, in order. */
export function formatsIn({ verdicts, skipped }: Result): FormatName[] {
  return [...new Set([...verdicts, ...skipped].map(({ format }) => format))];
}

/** Returns the command that judges one case again. */
export function commandFor(
  { command }: Result,
  { id, format }: { readonly id: string; readonly format: string },
): string {
  return `${command} --format ${format} --only ${id}`;
}

/** Returns the outcome in one sentence. */
export function summaryOf(result: Result): string {
  const failures = failuresIn(result).length;
  const { verdicts, skipped, seconds } = result;
  const rest = skipped.length === 0 ? '' : `, ${skipped.length} not judged`;
  return `${verdicts.length - failures} passed, ${failures} failed${rest}, in ${seconds.toFixed(1)} s (seed ${result.seed}).`;
}
