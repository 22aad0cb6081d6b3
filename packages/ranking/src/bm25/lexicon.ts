import { STOP_WORDS } from '../stop-words.ts';
import { tokenizeWord } from '../tokenize.ts';

/** What is known of one written word. */
export interface LexiconEntry {
  /** Numbers of its tokens in the lexicon: its parts, and the identifiers they make up (see `tokenizeWord`). */
  readonly partIds: readonly number[];
  readonly wholeIds: readonly number[];
  readonly isStopWord: boolean;
}

/**
 * Remembers the tokens of every word that was read, and gives each token a number. Tool texts repeat a few thousand words
 * over and over; splitting and stemming each once is most of what makes building an index cheap.
 *
 * Contract: the same word always gives the same entry; numbers count up from 0 and are never reused.
 */
export class Lexicon {
  readonly tokens: string[] = [];
  readonly #entries = new Map<string, LexiconEntry>();
  readonly #idByToken = new Map<string, number>();

  get wordCount(): number {
    return this.#entries.size;
  }

  entryOf(word: string): LexiconEntry {
    return this.#entries.get(word) ?? this.#read(word);
  }

  #read(word: string): LexiconEntry {
    const { parts, wholes } = tokenizeWord(word);
    const entry = {
      partIds: parts.map((token) => this.#idOf(token)),
      wholeIds: wholes.map((token) => this.#idOf(token)),
      isStopWord: STOP_WORDS.has(word.toLowerCase()),
    };
    this.#entries.set(word, entry);
    return entry;
  }

  #idOf(token: string): number {
    const known = this.#idByToken.get(token);
    if (known !== undefined) return known;
    this.#idByToken.set(token, this.tokens.length);
    this.tokens.push(token);
    return this.tokens.length - 1;
  }
}

/** About 20 MB with its tokens. Ordinary catalogues together stay far below; texts full of ids do not. */
const MAX_WORDS = 200_000;

let shared = new Lexicon();

/** The lexicon of this thread, to be asked for anew with each build: one that has grown too large is replaced. */
export function sharedLexicon(): Lexicon {
  if (shared.wordCount >= MAX_WORDS) shared = new Lexicon();
  return shared;
}
