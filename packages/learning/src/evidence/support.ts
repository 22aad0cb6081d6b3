/** In how many conversations of how many clients something happened. */
export interface Support {
  readonly conversations: number;
  /** Number of conversations in which it could have happened. */
  readonly of: number;
  /** Number of distinguishable clients in whose conversations it happened. */
  readonly clients: number;
  /**
   * The same without any one client: the worst case over all of them. Used for decisions that one client must
   * not make.
   */
  readonly withoutOne: {
    /** Smallest number of conversations in which it happened, and in which it could have happened. */
    readonly conversations: number;
    readonly of: number;
    /** Smallest and largest share, from 0 to 1. */
    readonly least: number;
    readonly most: number;
  };
}

/** Conversations of one client: those in which something happened, and all in which it could have happened. */
export interface ClientCount {
  part: number;
  whole: number;
}

/** Counts by client; those of indistinguishable clients are under undefined. */
export type ByClient = ReadonlyMap<string | undefined, ClientCount>;

/** Adds up counts by client. */
export function supportOf(byClient: ByClient): Support {
  const counts = [...byClient.values()];
  const part = sum(counts, 'part');
  const whole = sum(counts, 'whole');
  const rests = counts.map((left) => ({ part: part - left.part, whole: whole - left.whole }));
  const shares = rests.map((rest) => (rest.whole === 0 ? 0 : rest.part / rest.whole));
  const known = [...byClient].filter(([client, count]) => client !== undefined && count.part > 0);
  return {
    conversations: part,
    of: whole,
    clients: known.length,
    withoutOne: {
      conversations: Math.min(...rests.map((rest) => rest.part), part),
      of: Math.min(...rests.map((rest) => rest.whole), whole),
      least: shares.length === 0 ? 0 : Math.min(...shares),
      most: shares.length === 0 ? 0 : Math.max(...shares),
    },
  };
}

function sum(counts: readonly ClientCount[], of: keyof ClientCount): number {
  return counts.reduce((total, count) => total + count[of], 0);
}
