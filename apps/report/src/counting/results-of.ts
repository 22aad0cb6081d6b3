/** Something that counts; names and their counts take the number of names to report. */
export interface Tally {
  result(mostNames: number): unknown;
}

/** The results of named tallies, by the same names. */
export type ResultsOf<Tallies extends Readonly<Record<string, Tally>>> = {
  readonly [Name in keyof Tallies]: ReturnType<Tallies[Name]['result']>;
};

/** Returns the results of named tallies, in their order. */
export function resultsOf<Tallies extends Readonly<Record<string, Tally>>>(
  tallies: Tallies,
  mostNames = 0,
): ResultsOf<Tallies> {
  const results = Object.entries(tallies).map(([name, tally]) => [name, tally.result(mostNames)]);
  return Object.fromEntries(results) as ResultsOf<Tallies>;
}
