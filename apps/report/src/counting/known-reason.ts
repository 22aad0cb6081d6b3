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
