import packed from './word-vectors.json' with { type: 'json' };

/** Number of components of each vector. */
export const COMPONENTS = packed.dimensions;

/**
 * Vectors of common English words, and of Chinese characters and words of two, by token: those of related meaning have
 * similar directions, in both languages, and one that says little about the meaning of a sentence is short.
 *
 * Source: learnt by `word-vectors/learn.py` from a sentence model; see docs/decisions/2026-11-28-word-vectors.md.
 */
export class WordVectors {
  readonly #tokens = new Map(packed.tokens.split(' ').map((token, number) => [token, number]));
  readonly #components = unpack(packed.numbers);

  /** Returns the number of a token's vector; undefined if the token has none. */
  find(token: string): number | undefined {
    return this.#tokens.get(token);
  }

  /** Adds a multiple of a vector to a sum. */
  addTo(sum: Float64Array, vector: number, weight: number): void {
    const components = this.#components;
    const start = vector * COMPONENTS;
    for (let at = 0; at < COMPONENTS; at++) sum[at]! += weight * components[start + at]!;
  }

  /** Adds the multiples of several vectors, one after another; four at a time, to write each component less often. */
  addAll(sum: Float64Array, vectors: ArrayLike<number>, weights: ArrayLike<number>, count: number): void {
    const components = this.#components;
    let place = 0;
    for (; place + 4 <= count; place += 4) {
      const a = vectors[place]! * COMPONENTS;
      const b = vectors[place + 1]! * COMPONENTS;
      const c = vectors[place + 2]! * COMPONENTS;
      const d = vectors[place + 3]! * COMPONENTS;
      const ofA = weights[place]!;
      const ofB = weights[place + 1]!;
      const ofC = weights[place + 2]!;
      const ofD = weights[place + 3]!;
      for (let at = 0; at < COMPONENTS; at++) {
        const ofTwo = sum[at]! + ofA * components[a + at]! + ofB * components[b + at]!;
        sum[at] = ofTwo + ofC * components[c + at]! + ofD * components[d + at]!;
      }
    }
    for (; place < count; place++) this.addTo(sum, vectors[place]!, weights[place]!);
  }
}

/** Unpacks signed numbers of four bits, two to a byte, the lower half first, each with an offset of 8. */
function unpack(base64: string): Int8Array {
  const bytes = atob(base64);
  const numbers = new Int8Array(2 * bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at);
    numbers[2 * at] = (byte & 15) - 8;
    numbers[2 * at + 1] = (byte >> 4) - 8;
  }
  return numbers;
}

let loaded: WordVectors | undefined;

/** Returns the vectors, unpacked at the first call in a thread, in some ten milliseconds. */
export function wordVectors(): WordVectors {
  loaded ??= new WordVectors();
  return loaded;
}
