import type { Catalogue } from './catalogues.ts';
import { type ConverseContext, converse } from './converse.ts';
import { makeDialogue } from './dialogue.ts';

/** Concurrent clients. */
export interface LanesOptions {
  readonly lanes: number;
  readonly seed: number;
  readonly catalogues: readonly Catalogue[];
  /** Returns the number of the next dialogue, or undefined if no more are to begin. */
  readonly nextNumber: () => number | undefined;
  /** Waits for the start time of the lane at this position: real clients do not all start at once. */
  readonly arrive: (lane: number) => Promise<void>;
  readonly context: ConverseContext;
}

/**
 * Runs a number of lanes. Each holds one dialogue after another; resolves when no more are to begin and all
 * have ended.
 */
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
