/** The effect of one number on the next step: allows it, leaves it open for lack of data, or blocks it. */
export type FindingState = 'clear' | 'unclear' | 'against';

/** One number, and the limit that it was compared with. */
export interface Finding {
  readonly state: FindingState;
  readonly subject: string;
  readonly value: string;
  readonly limit: string;
}
