import { hash } from 'node:crypto';
import { fromVectorText, toVectorText, type VectorEntry } from './vector-text.ts';

/** A store of small texts by name, such as a registry's store. */
export interface Notes {
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, value: string): Promise<void>;
}

/** Vectors per note: some 300 KB of text for a model of 384 dimensions. */
const NOTE_VECTORS = 512;

/** Maximum number of notes, written and read: 131,072 vectors. */
const MAX_NOTES = 256;

/** Length of a key from `keyOf`: 128 bits. */
const KEY_BYTES = 16;

/**
 * The vectors of one model, kept over restarts in notes that are filled one after another.
 *
 * Never rejects: vectors that cannot be read or written are computed again. If several processes share a
 * store, the last to write a note wins, and the others' lost vectors are computed again, too.
 */
export class VectorNotes {
  readonly #notes: Notes;
  readonly #prefix: Promise<string>;
  readonly #onFailure: (error: unknown) => void;
  /** Entries of the last note, which is not full. */
  #entries: VectorEntry[] = [];
  #number = 0;
  #hasNew = false;
  #writing: Promise<void> = Promise.resolve();

  /** @param model an id that distinguishes the model from all others; if it rejects, nothing is kept. */
  constructor(notes: Notes, model: Promise<string>, onFailure: (error: unknown) => void) {
    this.#notes = notes;
    this.#prefix = model.then((id) => `vectors:${hash('sha256', id).slice(0, 2 * KEY_BYTES)}:`);
    // Readers and writers report this failure.
    this.#prefix.catch(() => {});
    this.#onFailure = onFailure;
  }

  /** Loads all kept vectors, note by note. Call it once, before adding anything. */
  async *load(): AsyncGenerator<readonly VectorEntry[]> {
    for (; this.#number < MAX_NOTES; this.#number++) {
      const entries = await this.#read(this.#number);
      if (entries === undefined) return;
      yield entries;
      if (entries.length < NOTE_VECTORS) {
        this.#entries = [...entries];
        return;
      }
    }
  }

  /** Adds vectors; full notes are written at once, the last one by `settle`. */
  add(entries: readonly VectorEntry[]): void {
    for (const entry of entries) {
      if (this.#number >= MAX_NOTES) return;
      this.#entries.push(entry);
      this.#hasNew = true;
      if (this.#entries.length === NOTE_VECTORS) this.#write();
    }
  }

  /** Writes the added vectors; resolves when they are written or the write has failed. */
  settle(): Promise<void> {
    if (this.#hasNew) this.#write();
    return this.#writing;
  }

  /** Replaces all kept vectors with these. */
  replace(entries: readonly VectorEntry[]): Promise<void> {
    const last = this.#number;
    [this.#entries, this.#number] = [[], 0];
    this.add(entries);
    if (this.#hasNew) this.#write();
    const first = this.#entries.length === 0 ? this.#number : this.#number + 1;
    for (let number = first; number <= Math.min(last, MAX_NOTES - 1); number++) this.#put(number, '');
    return this.#writing;
  }

  #write(): void {
    this.#hasNew = false;
    this.#put(this.#number, this.#entries.map(toVectorText).join('\n'));
    if (this.#entries.length < NOTE_VECTORS) return;
    this.#entries = [];
    this.#number++;
  }

  #put(number: number, text: string): void {
    this.#writing = this.#writing
      .then(async () => this.#notes.writeNote(`${await this.#prefix}${number}`, text))
      .catch(this.#onFailure);
  }

  /** Reads a note; undefined if it is missing or unreadable. */
  async #read(number: number): Promise<readonly VectorEntry[] | undefined> {
    try {
      const text = await this.#notes.readNote(`${await this.#prefix}${number}`);
      return text
        ? text
            .split('\n')
            .map(fromVectorText)
            .filter((entry) => entry !== undefined)
        : undefined;
    } catch (error) {
      this.#onFailure(error);
      return undefined;
    }
  }
}
