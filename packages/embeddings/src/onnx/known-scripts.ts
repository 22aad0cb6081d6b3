/** The parts of a `tokenizer.json` that show which scripts its model knows. */
export interface TokenizerDescription {
  readonly model?: { readonly vocab?: unknown };
  readonly pre_tokenizer?: unknown;
  readonly decoder?: unknown;
}

/**
 * Minimum number of tokens of a script that a model has learnt. English vocabularies have the single letters
 * of many scripts, up to 100, and some 500 Chinese characters; multilingual ones have thousands of each.
 */
const LEAST_TOKENS = 600;

const SCRIPTS = [
  ...['Han', 'Hiragana', 'Katakana', 'Hangul', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari'],
  ...['Bengali', 'Tamil', 'Telugu', 'Thai', 'Armenian', 'Georgian', 'Khmer', 'Lao', 'Myanmar', 'Ethiopic'],
].map((name) => ({ name, letter: new RegExp(`\\p{Script=${name}}`, 'u') }));

/** Letters beyond Latin: the rest are in scripts that every model has learnt. */
const FOREIGN_LETTER = /[\p{L}--[\p{Script=Latin}\p{Script=Common}]]/v;
const FOREIGN_LETTERS = new RegExp(FOREIGN_LETTER, 'gv');
const LETTERS = /\p{L}/gu;

/**
 * Returns a function that checks whether a model knows the scripts of at least half of a text's letters, by the
 * vocabulary of its tokenizer. A byte tokenizer shows nothing, so all scripts count as known.
 */
export function scriptsKnownBy(description: TokenizerDescription): (text: string) => boolean {
  if (JSON.stringify([description.pre_tokenizer, description.decoder]).includes('"ByteLevel"'))
    return () => true;
  const counts = new Map<string, number>();
  for (const token of tokensOf(description.model?.vocab)) {
    const script = FOREIGN_LETTER.test(token) ? scriptOf(token) : undefined;
    if (script !== undefined) counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  const isKnown = (letter: string) => (counts.get(scriptOf(letter) ?? '') ?? 0) >= LEAST_TOKENS;
  return (text) => {
    if (!FOREIGN_LETTER.test(text)) return true;
    const unknown = (text.match(FOREIGN_LETTERS) ?? []).filter((letter) => !isKnown(letter)).length;
    return unknown * 2 <= (text.match(LETTERS) ?? []).length;
  };
}

/** WordPiece and BPE list tokens as keys, Unigram as pairs of a token and its score. */
function tokensOf(vocab: unknown): readonly string[] {
  if (Array.isArray(vocab))
    return vocab.map((entry: unknown) => String(Array.isArray(entry) ? entry[0] : ''));
  return typeof vocab === 'object' && vocab !== null ? Object.keys(vocab) : [];
}

function scriptOf(text: string): string | undefined {
  return SCRIPTS.find(({ letter }) => letter.test(text))?.name;
}
