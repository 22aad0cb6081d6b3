/** An escape of an ASCII character in JSON. */
const ESCAPE = /\\u00([0-7][0-9a-f])/gi;
const BACKSLASH = 0x5c;
/** The longest form of a character in JSON: `\u0041`. */
const LONGEST_CHAR = 6;

/**
 * Searches streamed JSON for a name in constant memory: the scan carries the last few bytes of a piece over
 * to the next. It resolves escapes; an escape of an escape gives a harmless false match.
 */
export class NameScan {
  readonly #name: string;
  #rest: Buffer = Buffer.alloc(0);
  #isFound = false;

  /** `name` consists of ASCII characters. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Whether the name occurred in the pieces so far. */
  get isFound(): boolean {
    return this.#isFound;
  }

  push(piece: Uint8Array): void {
    if (this.#isFound) return;
    const bytes = Buffer.concat([this.#rest, piece]);
    this.#isFound = bytes.includes(BACKSLASH)
      ? withoutEscapes(bytes.toString('latin1')).includes(this.#name)
      : bytes.includes(this.#name);
    // A copy, because a slice would keep the whole piece in memory.
    this.#rest = Buffer.from(bytes.subarray(-LONGEST_CHAR * this.#name.length));
  }
}

function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
