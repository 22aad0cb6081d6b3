import type { VectorCache } from './vector-cache.ts';
import type { VectorNotes } from './vector-notes.ts';
import type { VectorEntry } from './vector-text.ts';

/** How vectors are kept over restarts. */
export interface KeptVectorsOptions {
  readonly notes: Pick<VectorNotes, 'load' | 'add' | 'settle' | 'replace'>;
  /** Those in memory. */
  readonly vectors: VectorCache;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
}

/** So many times as many vectors as are wanted may be kept, and some more: beyond that the others are forgotten. */
const [MOST_UNUSED, LEAST_REPLACED] = [2, 1_024];

/** What is kept of the vectors in memory, and what of that is still of use. Nothing here rejects. */
export class KeptVectors {
  readonly #options: KeptVectorsOptions;
  /** Keys of vectors that are in the notes. */
  readonly #inNotes = new Set<string>();
  /** Keys of texts that were to be learnt. */
  readonly #wanted = new Set<string>();
  #isLoaded = false;

  constructor(options: KeptVectorsOptions) {
    this.#options = options;
  }

  /** Takes over what was kept, once. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const { notes, vectors, pause } = this.#options;
    for await (const entries of notes.load()) {
      for (const [key] of entries) this.#inNotes.add(key);
      // Whatever is of other dimensions is of another model after all.
      if (!vectors.add(entries)) return;
      await pause();
    }
  }

  /** Notes that the text of a key is of use. */
  want(key: string): void {
    this.#wanted.add(key);
  }

  /** Has the vectors of these texts kept, where they are there and not kept yet. */
  keep(keys: Iterable<string>): void {
    const entries = this.#entriesOf([...keys].filter((key) => !this.#inNotes.has(key)));
    for (const [key] of entries) this.#inNotes.add(key);
    this.#options.notes.add(entries);
  }

  /** Writes what is new; what was kept and is mostly of no use any more is left behind. */
  settle(): Promise<void> {
    const { notes } = this.#options;
    if (this.#inNotes.size <= MOST_UNUSED * this.#wanted.size + LEAST_REPLACED) return notes.settle();
    const entries = this.#entriesOf(this.#wanted);
    this.#inNotes.clear();
    for (const [key] of entries) this.#inNotes.add(key);
    return notes.replace(entries);
  }

  /** Writes what is new. */
  close(): Promise<void> {
    return this.#options.notes.settle();
  }

  #entriesOf(keys: Iterable<string>): VectorEntry[] {
    return [...keys].flatMap((key): VectorEntry[] => {
      const vector = this.#options.vectors.peek(key);
      return vector ? [[key, vector]] : [];
    });
  }
}
