/** An escape of an ASCII character in JSON. */
const ESCAPE = /\\u00([0-7][0-9a-f])/gi;
const BACKSLASH = 0x5c;
/** What a character takes at most in JSON: `\u0041`. */
const LONGEST_CHAR = 6;

/**
 * Looks for a name in JSON that passes by in pieces, in constant memory: a scan takes the last few bytes of a piece along to the next. Escapes
 * of its letters are minded; one that is escaped twice is found as well, which is one time too many.
 */
export class NameScan {
  readonly #name: string;
  #rest: Buffer = Buffer.alloc(0);
  #isFound = false;

  /** `name` is of ASCII characters. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Whether the name was in what has passed so far. */
  get isFound(): boolean {
    return this.#isFound;
  }

  push(piece: Uint8Array): void {
    if (this.#isFound) return;
    const bytes = Buffer.concat([this.#rest, piece]);
    this.#isFound = bytes.includes(BACKSLASH)
      ? withoutEscapes(bytes.toString('latin1')).includes(this.#name)
      : bytes.includes(this.#name);
    // A copy, as a slice would keep the whole piece.
    this.#rest = Buffer.from(bytes.subarray(-LONGEST_CHAR * this.#name.length));
  }
}

function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
