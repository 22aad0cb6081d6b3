import { hash } from 'node:crypto';
import { fromVectorText, toVectorText, type VectorEntry } from './vector-text.ts';

/** Where small texts are kept by their names, such as a registry's store. */
export interface Notes {
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, value: string): Promise<void>;
}

/** Vectors in one note: some 300 KB of text for a model of 384 dimensions. */
const NOTE_VECTORS = 512;

/** What is written and read at most: 131,072 vectors. */
const MAX_NOTES = 256;

/** 128 bits in hexadecimal, as `keyOf` gives them. */
const KEY_BYTES = 16;

/**
 * The vectors of one model, kept over restarts in notes that are filled one after the other.
 *
 * What cannot be read or written is worked out again: nothing here rejects. Of several processes over one store the last one to write a note wins, and what the others lose
 * by that is worked out again, too.
 */
export class VectorNotes {
  readonly #notes: Notes;
  readonly #prefix: Promise<string>;
  readonly #onFailure: (error: unknown) => void;
  /** Of the last note, which is not full. */
  #entries: VectorEntry[] = [];
  #number = 0;
  #hasNew = false;
  #writing: Promise<void> = Promise.resolve();

  /** @param model tells its vectors from those of every other model; where that rejects, nothing is kept. */
  constructor(notes: Notes, model: Promise<string>, onFailure: (error: unknown) => void) {
    this.#notes = notes;
    this.#prefix = model.then((id) => `vectors:${hash('sha256', id).slice(0, 2 * KEY_BYTES)}:`);
    // Whoever reads or writes tells of it.
    this.#prefix.catch(() => {});
    this.#onFailure = onFailure;
  }

  /** Everything that is kept, note by note. To be called once, before anything is added. */
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

  /** Keeps vectors; full notes are written at once, the last one by `settle`. */
  add(entries: readonly VectorEntry[]): void {
    for (const entry of entries) {
      if (this.#number >= MAX_NOTES) return;
      this.#entries.push(entry);
      this.#hasNew = true;
      if (this.#entries.length === NOTE_VECTORS) this.#write();
    }
  }

  /** Writes what was added; resolves when it is written, or could not be. */
  settle(): Promise<void> {
    if (this.#hasNew) this.#write();
    return this.#writing;
  }

  /** Begins anew with these: what was kept beside them is forgotten. */
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

  /** Undefined where there is none, or none that can be read. */
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
