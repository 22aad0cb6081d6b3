const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** Counts the values of a JSON text while it comes, in UTF-8 and however it is cut, as `countJsonValues` does with a whole one. */
export class ValueCounter {
  #count = 0;
  #isInString = false;
  #isEscaped = false;

  /** As far as commas and opening brackets tell. */
  get count(): number {
    return this.#count;
  }

  /** Another text follows. */
  begin(): void {
    this.#count = 0;
    this.#isInString = false;
    this.#isEscaped = false;
  }

  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) {
        if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
      } else if (byte === QUOTE) this.#isInString = true;
      else if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#count++;
    }
  }
}
