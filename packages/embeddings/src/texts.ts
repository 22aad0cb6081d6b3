/** Texts by their numbers, from 0. Held as long as they are learnt. */
export interface Texts {
  readonly count: number;
  /** Undefined for one that is not there any more. */
  textOf(position: number): string | undefined;
  /** What the numbers are of: as long as it is the same, each stands for the same text. */
  readonly table: object;
}
