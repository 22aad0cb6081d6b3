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
