import type { Catalogue } from './catalogues.ts';
import { type ConverseContext, converse } from './converse.ts';
import { makeDialogue } from './dialogue.ts';

/** Clients that run side by side. */
export interface LanesOptions {
  readonly lanes: number;
  readonly seed: number;
  readonly catalogues: readonly Catalogue[];
  /** The number of the next dialogue to begin, or undefined when no more are to begin. */
  readonly nextNumber: () => number | undefined;
  /** Waits until the lane at this position is to begin: real clients do not all come at once. */
  readonly arrive: (lane: number) => Promise<void>;
  readonly context: ConverseContext;
}

/** Lets so many clients lead one dialogue after the other, until no more are to begin and all are at their end. */
export async function runLanes(options: LanesOptions): Promise<void> {
  const { lanes, seed, catalogues, nextNumber, arrive, context } = options;
  const runLane = async (_: unknown, lane: number): Promise<void> => {
    await arrive(lane);
    for (let number = nextNumber(); number !== undefined; number = nextNumber()) {
      await converse(makeDialogue(seed, number, catalogues), context);
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
}
