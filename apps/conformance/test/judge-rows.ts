import { onTestFinished } from 'vitest';
import {
  CASES,
  CLIENT_FORMATS,
  type ConformanceCase,
  type FormatName,
  type Gateway,
  judgeCase,
  startWireProvider,
  type Verdict,
} from '../src/index.ts';

/** A case in one format. */
export interface Row {
  readonly one: ConformanceCase;
  readonly format: FormatName;
}

/** Starts the provider of the kit on a free port; closed when the test ends. */
export async function startProvider() {
  const provider = await startWireProvider(0);
  onTestFinished(() => provider.close());
  return provider;
}

/** Returns each case in all its formats, or in one of them: another one for each case. */
export function rowsOf(cases: readonly ConformanceCase[], hasAllFormats: boolean): Row[] {
  return cases.flatMap((one, at) => {
    const formats = hasAllFormats ? one.formats : [one.formats[at % one.formats.length]!];
    return formats.map((format) => ({ one, format }));
  });
}

let number = 0;

/** Judges cases with a gateway, one after the other, and those that wait together at the end. */
export async function judgeRows(
  rows: readonly Row[],
  url: string,
  provider: Awaited<ReturnType<typeof startProvider>>,
  { patienceMs = 4_000, holdsBack = false } = {},
): Promise<Verdict[]> {
  const gateway: Gateway = {
    urlOf: () => url,
    modelOf: (format) => CLIENT_FORMATS[format].model,
    headers: [],
    hasKey: false,
  };
  const judge = ({ one, format }: Row) => {
    number += 100;
    return judgeCase(one, format, number, { gateway, provider, seed: 1, patienceMs, holdsBack });
  };
  const verdicts: Verdict[] = [];
  // The provider takes a body that it cannot read for that of the case being played.
  for (const row of rows) if (!row.one.isSlow) verdicts.push(await judge(row));
  return [...verdicts, ...(await Promise.all(rows.filter(({ one }) => one.isSlow).map(judge)))];
}

/** Returns the failures, in words. */
export function failuresIn(verdicts: readonly Verdict[]): string[] {
  return verdicts.flatMap(({ id, format, faults }) =>
    faults.length === 0 ? [] : `${id} (${format}): ${faults[0]}`,
  );
}

/** Returns the case of an id. */
export function caseOf(id: string): ConformanceCase {
  const found = CASES.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no case ${id}`);
  return found;
}
