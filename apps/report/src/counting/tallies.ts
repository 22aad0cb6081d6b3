import type { RolloutArm, StoredRecord } from '@winnow/core';

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

/** Counts by key; keys with no occurrence are absent. */
export type Counts<Key extends string> = Readonly<Partial<Record<Key, number>>>;

/** Counts occurrences of a few keys. */
export class CountsTally<Key extends string> {
  readonly #counts: Partial<Record<Key, number>> = {};

  add(key: Key): void {
    this.#counts[key] = (this.#counts[key] ?? 0) + 1;
  }

  /** The most frequent first; ties by key. */
  result(): Counts<Key> {
    const entries = Object.entries<number | undefined>(this.#counts);
    return Object.fromEntries(
      entries.sort(([keyA, a = 0], [keyB, b = 0]) => b - a || (keyA < keyB ? -1 : 1)),
    ) as Counts<Key>;
  }
}

/** Returns the sum of all counts. */
export function sumOf(counts: Counts<string>): number {
  return Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** A closed list of reasons, such as `RolloutReason` of the contract. */
interface Reasons<Reason extends string> {
  readonly options: readonly Reason[];
}

/**
 * The reason itself where this version knows it. A newer proxy may have others, and a file that was tampered with any number of them:
 * they are counted together as `unknown`.
 */
export function knownReason<Reason extends string>(
  { options }: Reasons<Reason>,
  reason: string,
): Reason | 'unknown' {
  return options.find((option) => option === reason) ?? 'unknown';
}

/** A result for each arm that has an exchange. */
export type ByArm<Result> = Readonly<Partial<Record<RolloutArm, Result>>>;

/** One tally for each arm that has an exchange. */
export class TallyByArm<ArmTally extends Tally> {
  readonly #tallies = new Map<RolloutArm, ArmTally>();
  readonly #begin: () => ArmTally;

  constructor(begin: () => ArmTally) {
    this.#begin = begin;
  }

  /** Returns the tally of a record's arm. */
  of({ arm }: StoredRecord): ArmTally {
    const tally = this.#tallies.get(arm) ?? this.#begin();
    this.#tallies.set(arm, tally);
    return tally;
  }

  result(): ByArm<ReturnType<ArmTally['result']>> {
    const results = [...this.#tallies].map(([arm, tally]) => [arm, tally.result(0)]);
    return Object.fromEntries(results) as ByArm<ReturnType<ArmTally['result']>>;
  }
}

/** Whether the client got a whole response with a 2xx status. Only such an exchange saves anything: a failed one is sent again. */
export function isGood({ outcome, status }: StoredRecord): boolean {
  return outcome === 'answered' && status !== undefined && status >= 200 && status <= 299;
}

/**
 * Whether the record has information on the request's tools: arm `off`, dropped observations and early failures
 * do not.
 */
export function isRead({ arm, planReason }: StoredRecord): boolean {
  return arm !== 'off' && planReason !== 'not_read';
}
