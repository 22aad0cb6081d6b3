/**
 * A set of names to find in texts.
 *
 * A name matches where no letter, digit, `_` or `-` adjoins it, case-sensitively. Names with other characters
 * inside (`server.tool`) match as well, up to eight words; names that begin or end with such a character do
 * not.
 *
 * Contract: immutable. One pass over a text, whatever the number of names.
 */
export class NamesInTexts {
  readonly #names: ReadonlySet<string>;
  /** Every prefix of a multi-word name that ends at a word boundary. */
  readonly #beginnings = new Set<string>();
  /** By length: whether a word of that length is a name or begins one. */
  readonly #lengths = new Uint8Array(MAX_NAME_CHARS + 1);
  /** By first character: whether any name begins with it. */
  readonly #firsts = new Uint8Array(0x1_0000);

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    for (const name of this.#names) this.#add(name);
  }

  /** Counts the occurrences of each name in the texts; names without any are absent. */
  count(texts: readonly string[]): Map<string, number> {
    const counts = new Map<string, number>();
    for (const text of texts) this.#countIn(text, counts);
    return counts;
  }

  #add(name: string): void {
    const ends = name.length > MAX_NAME_CHARS ? [] : endsOfWords(name);
    if (ends.length === 0 || ends.length > MAX_WORDS) return;
    for (const end of ends.slice(0, -1)) this.#beginnings.add(name.slice(0, end));
    this.#lengths[ends[0]!] = 1;
    this.#firsts[name.charCodeAt(0)] = 1;
  }

  #countIn(text: string, counts: Map<string, number>): void {
    for (let start = startOfWord(text, 0); start < text.length; ) {
      const end = endOfWord(text, start);
      const length = end - start;
      if (
        this.#firsts[text.charCodeAt(start)] === 1 &&
        length <= MAX_NAME_CHARS &&
        this.#lengths[length] === 1
      ) {
        this.#countAt(text, start, end, counts);
      }
      start = startOfWord(text, end);
    }
  }

  /** Counts every name that begins with the word at `start`. */
  #countAt(text: string, start: number, wordEnd: number, counts: Map<string, number>): void {
    for (let end = wordEnd; ; ) {
      const found = text.slice(start, end);
      if (this.#names.has(found)) counts.set(found, (counts.get(found) ?? 0) + 1);
      if (!this.#beginnings.has(found)) return;
      // Anything cut off here is too long to be a name.
      const limit = start + MAX_NAME_CHARS + 1;
      end = endOfWord(text, startOfWord(text, end, limit), limit);
    }
  }
}

/** Maximum length of a name, in characters; no provider accepts longer ones. */
const MAX_NAME_CHARS = 256;

/** Maximum number of words of a name that are followed through a text, at each of its words. */
const MAX_WORDS = 8;

/** Returns the word boundaries of a name; none if it begins or ends with another character. */
function endsOfWords(name: string): number[] {
  const ends: number[] = [];
  if (startOfWord(name, 0) !== 0) return ends;
  for (let start = 0; start < name.length; start = startOfWord(name, ends.at(-1)!))
    ends.push(endOfWord(name, start));
  return ends.at(-1) === name.length ? ends : [];
}

function startOfWord(text: string, from: number, limit = text.length): number {
  let position = from;
  while (position < limit && position < text.length && !isWordAt(text, position)) position += 1;
  return position;
}

function endOfWord(text: string, from: number, limit = text.length): number {
  let position = from;
  while (position < limit && position < text.length && isWordAt(text, position)) position += 1;
  return position;
}

/** By code unit: 1 for word characters, 2 for others, 0 if unknown. */
const kinds = new Uint8Array(0x1_0000);

/**
 * Judges halves of a surrogate pair by the whole pair: letters beyond the basic plane are letters, emoji are
 * not.
 */
function isWordAt(text: string, position: number): boolean {
  const unit = text.charCodeAt(position);
  if (unit >= 0xd800 && unit <= 0xdfff) return isWordCharacter(wholeAt(text, position, unit));
  const kind = kinds[unit]!;
  if (kind !== 0) return kind === 1;
  const isWord = isWordCharacter(text[position]!);
  kinds[unit] = isWord ? 1 : 2;
  return isWord;
}

function wholeAt(text: string, position: number, unit: number): string {
  return unit >= 0xdc00 ? text.slice(position - 1, position + 1) : text.slice(position, position + 2);
}

function isWordCharacter(character: string): boolean {
  return /^[\p{L}\p{N}_-]/u.test(character);
}
