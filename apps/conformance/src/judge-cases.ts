import { CASES } from './cases/cases.ts';
import { type ConformanceCase, groupOf } from './conformance-case.ts';
import { FORMAT_NAMES, type FormatName } from './formats/client-format.ts';
import type { Options } from './options.ts';
import type { Probe } from './probe.ts';
import type { Skipped } from './result.ts';
import { type Gateway, judgeCase, type Row, type Verdict } from './run.ts';
import type { WireProvider } from './wire/wire-provider.ts';

/** A gateway on its way to a verdict. */
export interface Judging {
  readonly gateway: Gateway;
  readonly provider: WireProvider;
  readonly probes: readonly Probe[];
  /** Stops the run, which keeps what it has judged. */
  readonly signal: AbortSignal;
  /** Called after each case with what is known so far, in words. */
  readonly onProgress: (words: string) => void;
}

/** A case that is judged in one format. */
interface Entry {
  readonly one: ConformanceCase;
  readonly row: Row;
}

/** Markers of cases are this far apart, so that several clients of one case have markers of their own. */
const MARKERS_OF_CASE = 100;

/** The reason of cases that a run did not come to. */
export const TIME_IS_UP = 'the time limit was reached (--time-limit)';
/** The reason of cases after Ctrl-C. */
export const STOPPED = 'the run was stopped';

/** Returns the cases that the options choose, each with its formats. */
export function chosenCases({
  only,
  formats,
}: Options): readonly { readonly one: ConformanceCase; readonly formats: readonly FormatName[] }[] {
  return CASES.filter(({ id }) => only.length === 0 || only.some((pattern) => pattern.test(id)))
    .map((one) => ({ one, formats: one.formats.filter((format) => formats.includes(format)) }))
    .filter((chosen) => chosen.formats.length > 0);
}

/** Judges case by case, each in all of its formats at once. */
export async function judgeCases(
  options: Options,
  judging: Judging,
): Promise<{ readonly verdicts: readonly Verdict[]; readonly skipped: readonly Skipped[] }> {
  const { timeLimitMs } = options;
  const { signal, onProgress } = judging;
  const stopped = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const end = performance.now() + timeLimitMs;
  const verdicts: Verdict[] = [];
  const skipped: Skipped[] = [];
  const chosen = chosenCases(options);
  let done = 0;
  for (const batch of batchesOf(chosen)) {
    done += batch.length;
    const entries = batch.flatMap(({ one, formats }) =>
      formats.map((format) => ({ one, row: rowOf(one, format) })),
    );
    const late = signal.aborted ? STOPPED : performance.now() >= end ? TIME_IS_UP : undefined;
    const outcomes = entries.map((entry) => ({
      ...entry,
      reason: reasonAgainst(entry, options, judging) ?? late,
    }));
    skipped.push(
      ...outcomes.flatMap(({ row, reason }) => (reason === undefined ? [] : [{ ...row, reason }])),
    );
    const judged = outcomes.filter(({ reason }) => reason === undefined);
    const found = await Promise.race([stopped, judgeTogether(judged, options, judging)]);
    if (found === undefined) skipped.push(...judged.map(({ row }) => ({ ...row, reason: STOPPED })));
    else verdicts.push(...found);
    const failures = verdicts.filter(({ faults }) => faults.length > 0).length;
    onProgress(
      `case ${done} of ${chosen.length}, ${verdicts.length} judged, ${failures} failed: ${batch[0]!.one.id}`,
    );
  }
  return { verdicts, skipped };
}

/** Returns each case by itself, but slow ones that follow one another together. */
function batchesOf<One extends { readonly one: ConformanceCase }>(chosen: readonly One[]): One[][] {
  const batches: One[][] = [];
  for (const entry of chosen) {
    const last = batches.at(-1);
    if (entry.one.isSlow && last?.[0]?.one.isSlow) last.push(entry);
    else batches.push([entry]);
  }
  return batches;
}

function rowOf(one: ConformanceCase, format: FormatName): Row {
  return { id: one.id, group: groupOf(one), format, promise: one.promise };
}

/** Returns the reason for which a case is not judged, however much time there is. */
function reasonAgainst(
  { row }: Entry,
  { groups, areFormatsChosen }: Options,
  { probes }: Judging,
): string | undefined {
  const probe = probes.find(({ format }) => format === row.format);
  if (!areFormatsChosen && probe?.reach !== 'reached') {
    const words = probe?.words ? `: ${probe.words}` : '';
    return `${row.format} does not reach the provider${words}`;
  }
  return groups.has(row.group) ? undefined : 'not claimed (--claims)';
}

/** Judges a case in all its formats at once, or in one after the other if it has to be alone. */
async function judgeTogether(
  entries: readonly Entry[],
  { seed, patienceMs, groups }: Options,
  { gateway, provider }: Judging,
): Promise<Verdict[]> {
  const run = { gateway, provider, seed, patienceMs, holdsBack: groups.has('deferral') };
  const judge = ({ one, row }: Entry) => judgeCase(one, row.format, numberOf(one, row.format), run);
  if (!entries[0]?.one.isAlone) return Promise.all(entries.map(judge));
  const verdicts: Verdict[] = [];
  for (const entry of entries) verdicts.push(await judge(entry));
  return verdicts;
}

/** Returns the number of a case in a format, which is the same in every run, as what is random hangs on it. */
function numberOf(one: ConformanceCase, format: FormatName): number {
  const at = CASES.indexOf(one) * FORMAT_NAMES.length + FORMAT_NAMES.indexOf(format);
  return MARKERS_OF_CASE * (at + 1);
}
