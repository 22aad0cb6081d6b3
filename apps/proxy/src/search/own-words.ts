import { createHmac, type KeyObject } from 'node:crypto';
import { lackedWords, type TaughtTool, tokenizeTelling } from '@winnow/ranking';
import type { FoundTool } from '@winnow/wire';

/** Learned words of tools, by the tools' names: in plain text, or as hashes. */
export type LearnedWords = Readonly<Record<string, readonly string[]>>;

/** Options of {@link OwnWords}. */
export interface OwnWordsOptions {
  /** Without it, hashes cannot be traced back to words. */
  readonly secret: KeyObject;
  /** Whether records hold words in plain text. */
  readonly isPlain: boolean;
}

/** Start of a hashed word, and number of characters of its hash. */
const HASHED = '#';
const HASH_CHARS = 12;

/** The words with which models search for tools: what records keep of them, and how searches meet them again. */
export class OwnWords {
  readonly #options: OwnWordsOptions;

  constructor(options: OwnWordsOptions) {
    this.#options = options;
  }

  /** Returns the words of a query that the found tools lack, as records hold them; nothing for a tool that lacks none. */
  lackedBy(tools: readonly FoundTool[], query: string): TaughtTool[] {
    return tools.flatMap(({ name, description }) => {
      const words = lackedWords(query, { name, description }).map((word) => this.#recorded(word));
      return words.length === 0 ? [] : [{ name, words: [...new Set(words)] }];
    });
  }

  /** Returns the words of a query that tools were taught, as written in the query. */
  metBy(query: string, learned: LearnedWords): TaughtTool[] {
    const byKey = new Map<string, string>();
    for (const word of lackedWords(query, NOTHING)) {
      byKey.set(normalized(word), word);
      byKey.set(this.#hashed(word), word);
    }
    return Object.entries(learned).flatMap(([name, words]) => {
      const met = words.flatMap((word) => byKey.get(word.startsWith(HASHED) ? word : normalized(word)) ?? []);
      return met.length === 0 ? [] : [{ name, words: [...new Set(met)] }];
    });
  }

  #recorded(word: string): string {
    return this.#options.isPlain ? word : this.#hashed(word);
  }

  #hashed(word: string): string {
    const hash = createHmac('sha256', this.#options.secret).update(normalized(word)).digest('base64url');
    return HASHED + hash.slice(0, HASH_CHARS);
  }
}

const NOTHING = { name: '', description: '' };

/** Returns the common stem of inflected forms of a word. */
function normalized(word: string): string {
  return tokenizeTelling(word).join(' ');
}
