/** Texts by number, from 0. Retained while they are being learnt. */
export interface Texts {
  readonly count: number;
  /** Undefined for a text that no longer exists. */
  textOf(position: number): string | undefined;
  /** The identity of the numbering: while it is the same object, each number means the same text. */
  readonly table: object;
}
