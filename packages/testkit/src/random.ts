/**
 * A stream of pseudo-random numbers.
 *
 * Contract: the same seed and the same calls give the same numbers on every machine; not for secrets.
 */
export interface Random {
  /** An integer from 0 to `limit` - 1. `limit` is at least 1. */
  below(limit: number): number;
  /** An integer from `low` to `high`, both inclusive. */
  between(low: number, high: number): number;
  /** Whether an event of the given probability (0 to 1) happens. */
  chance(probability: number): boolean;
  /** One of the items, with equal probability. The list must not be empty. */
  pick<Item>(items: readonly Item[]): Item;
  /** `count` different items in random order, or all of them if there are fewer. */
  sample<Item>(items: readonly Item[], count: number): Item[];
}

/**
 * Creates a {@link Random} from any integer seed.
 *
 * Algorithm: xoshiro128** 1.1 (Blackman & Vigna, https://prng.di.unimi.it/xoshiro128starstar.c). SplitMix32
 * fills its state of four words, so that neighbouring seeds give unrelated streams.
 */
export function createRandom(seed: number): Random {
  const nextWord = xoshiro128(splitMix32(seed));

  const unit = (): number => nextWord() / 2 ** 32;
  const below = (limit: number): number => Math.floor(unit() * limit);
  const pick = <Item>(items: readonly Item[]): Item => {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[below(items.length)] as Item;
  };

  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => unit() < probability,
    pick,
    sample(items, count) {
      // A Fisher-Yates shuffle that stops after the requested places.
      const rest = [...items];
      const taken = Math.min(count, rest.length);
      for (let place = 0; place < taken; place += 1) {
        const from = place + below(rest.length - place);
        [rest[place], rest[from]] = [rest[from] as never, rest[place] as never];
      }
      return rest.slice(0, taken);
    },
  };
}

/** The generator over a state of four words, not all zero. Exported for its test against the reference. */
export function xoshiro128(state: readonly [number, number, number, number]): () => number {
  let [s0, s1, s2, s3] = state;
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0;
    const shifted = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = rotateLeft(s3, 11);
    return result;
  };
}

/** Returns four well-mixed words from one seed. The mixer is the finalizer of MurmurHash3. */
function splitMix32(seed: number): [number, number, number, number] {
  let counter = seed | 0;
  const nextWord = (): number => {
    counter = (counter + 0x9e3779b9) | 0;
    let word = counter;
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return word ^ (word >>> 16);
  };
  return [nextWord(), nextWord(), nextWord(), nextWord()];
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
