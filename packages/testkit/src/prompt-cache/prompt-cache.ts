import { createHash } from 'node:crypto';

/** A part of a rendered prompt. */
export interface PromptBlock {
  readonly text: string;
  /** Whether the client marks the end of this block as the end of a cached prefix. */
  readonly isMarked: boolean;
}

/** A provider's rules for its prompt cache. */
export interface CacheRules {
  /** Whether only marked prefixes are cached (Anthropic). */
  readonly needsMarks: boolean;
  /** Tokens below which a prefix is not cached. */
  readonly minimumTokens: number;
  /** Cached prefixes are multiples of this many tokens. */
  readonly stepTokens: number;
  /** Blocks before a mark that are searched for an earlier mark. */
  readonly lookBackBlocks: number;
  /** Time that an unused prefix is kept, in milliseconds. */
  readonly lifetimeMs: number;
}

/**
 * Anthropic: marked prefixes, five minutes. https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export const MARKED_CACHE: CacheRules = {
  needsMarks: true,
  minimumTokens: 1_024,
  stepTokens: 1,
  lookBackBlocks: 20,
  lifetimeMs: 300_000,
};

/** OpenAI: every prefix, in steps of 128 tokens. https://developers.openai.com/api/docs/guides/prompt-caching */
export const AUTOMATIC_CACHE: CacheRules = {
  needsMarks: false,
  minimumTokens: 1_024,
  stepTokens: 128,
  lookBackBlocks: 0,
  lifetimeMs: 300_000,
};

/** The tokens of a prompt by how the cache treated them. */
export interface CachedPrompt {
  /** Neither read nor written at a price of its own. */
  readonly plainTokens: number;
  readonly readTokens: number;
  /** Written under a mark; a cache without marks writes for free. */
  readonly writtenTokens: number;
}

const BYTES_PER_TOKEN = 4;
/** Prefixes held at most; beyond that the oldest go. */
const MOST_PREFIXES = 200_000;

/**
 * A provider's prompt cache: knows which prefixes of rendered prompts it has seen, block by block. Four bytes
 * count as a token. Deterministic; the clock is the caller's.
 */
export class PromptCache {
  readonly #rules: CacheRules;
  readonly #now: () => number;
  /** Times of the last use of prefixes, by their hash, from least to most recently used. */
  readonly #usedAt = new Map<string, number>();

  /** Creates an empty cache. `now` is a clock in milliseconds. */
  constructor(rules: CacheRules, now: () => number) {
    this.#rules = rules;
    this.#now = now;
  }

  /** Reads a prompt, and caches what it may. */
  read(blocks: readonly PromptBlock[]): CachedPrompt {
    const prefixes = prefixesOf(blocks);
    const total = prefixes.at(-1)?.tokens ?? 0;
    const marked = blocks.flatMap(({ isMarked }, at) => (isMarked ? at : []));
    const readTokens = this.#rules.needsMarks ? this.#findMarked(prefixes, marked) : this.#find(prefixes);
    const ends = this.#rules.needsMarks ? marked : prefixes.map((_, at) => at);
    const kept = ends.map((at) => prefixes[at]!).filter(({ tokens }) => tokens >= this.#rules.minimumTokens);
    for (const { key } of kept) this.#use(key);
    const writtenTokens = this.#rules.needsMarks ? Math.max(0, (kept.at(-1)?.tokens ?? 0) - readTokens) : 0;
    return { plainTokens: total - readTokens - writtenTokens, readTokens, writtenTokens };
  }

  /** Returns the tokens of the longest known prefix, in whole steps. */
  #find(prefixes: readonly Prefix[]): number {
    const { minimumTokens, stepTokens } = this.#rules;
    const known = prefixes.findLast(({ key }) => this.#isKnown(key))?.tokens ?? 0;
    const whole = Math.floor(known / stepTokens) * stepTokens;
    return whole < minimumTokens ? 0 : whole;
  }

  /** Returns the tokens of the longest known prefix that a mark reaches. */
  #findMarked(prefixes: readonly Prefix[], marked: readonly number[]): number {
    for (const mark of marked.toReversed()) {
      const last = Math.max(0, mark - this.#rules.lookBackBlocks);
      for (let at = mark; at >= last; at--) {
        const { key, tokens } = prefixes[at]!;
        if (!this.#isKnown(key)) continue;
        this.#use(key);
        return tokens;
      }
    }
    return 0;
  }

  #isKnown(key: string): boolean {
    const usedAt = this.#usedAt.get(key);
    return usedAt !== undefined && this.#now() - usedAt < this.#rules.lifetimeMs;
  }

  #use(key: string): void {
    this.#usedAt.delete(key);
    this.#usedAt.set(key, this.#now());
    if (this.#usedAt.size > MOST_PREFIXES) this.#usedAt.delete(this.#usedAt.keys().next().value!);
  }
}

interface Prefix {
  readonly key: string;
  readonly tokens: number;
}

function prefixesOf(blocks: readonly PromptBlock[]): Prefix[] {
  let key = '';
  let bytes = 0;
  return blocks.map(({ text }) => {
    key = createHash('sha1').update(key).update(text).digest('base64');
    bytes += Buffer.byteLength(text);
    return { key, tokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
  });
}
