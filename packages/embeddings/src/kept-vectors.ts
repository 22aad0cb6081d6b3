import type { VectorCache } from './vector-cache.ts';
import type { VectorNotes } from './vector-notes.ts';
import type { VectorEntry } from './vector-text.ts';

/** Options of vectors that survive restarts. */
export interface KeptVectorsOptions {
  readonly notes: Pick<VectorNotes, 'load' | 'add' | 'settle' | 'replace'>;
  /** The vectors in memory. */
  readonly vectors: VectorCache;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/**
 * Limit of unused notes: this many times the wanted vectors, plus a margin. Beyond it, unused vectors are
 * dropped.
 */
const [MOST_UNUSED, LEAST_REPLACED] = [2, 1_024];

/** Tracks which vectors in memory are saved in notes, and which of those are still in use. Never rejects. */
export class KeptVectors {
  readonly #options: KeptVectorsOptions;
  /** Keys of the vectors in the notes. */
  readonly #inNotes = new Set<string>();
  /** Keys of the texts that were requested. */
  readonly #wanted = new Set<string>();
  #isLoaded = false;
  /** The era of the vectors in the notes: those of another model are replaced. */
  #era: object;

  constructor(options: KeptVectorsOptions) {
    this.#options = options;
    this.#era = options.vectors.era;
  }

  /** Loads the saved vectors, once. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const { notes, vectors, pause } = this.#options;
    for await (const entries of notes.load()) {
      for (const [key] of entries) this.#inNotes.add(key);
      // Vectors of other dimensions belong to another model.
      if (!vectors.add(entries)) return;
      await pause();
    }
  }

  /** Marks the text of a key as in use. */
  want(key: string): void {
    this.#wanted.add(key);
  }

  /** Saves the vectors of these texts, if they are known and not saved yet. */
  keep(keys: Iterable<string>): void {
    if (this.#isOutdated) return;
    const entries = this.#entriesOf([...keys].filter((key) => !this.#inNotes.has(key)));
    for (const [key] of entries) this.#inNotes.add(key);
    this.#options.notes.add(entries);
  }

  /**
   * Writes new vectors; if most saved ones are unused or those of another model, rewrites the notes without
   * those.
   */
  settle(): Promise<void> {
    const { notes, vectors } = this.#options;
    if (!this.#isOutdated && this.#inNotes.size <= MOST_UNUSED * this.#wanted.size + LEAST_REPLACED)
      return notes.settle();
    this.#era = vectors.era;
    const entries = this.#entriesOf(this.#wanted);
    this.#inNotes.clear();
    for (const [key] of entries) this.#inNotes.add(key);
    return notes.replace(entries);
  }

  /** Writes new vectors. */
  close(): Promise<void> {
    return this.#options.notes.settle();
  }

  get #isOutdated(): boolean {
    return this.#era !== this.#options.vectors.era;
  }

  #entriesOf(keys: Iterable<string>): VectorEntry[] {
    return [...keys].flatMap((key): VectorEntry[] => {
      const vector = this.#options.vectors.peek(key);
      return vector ? [[key, vector]] : [];
    });
  }
}
