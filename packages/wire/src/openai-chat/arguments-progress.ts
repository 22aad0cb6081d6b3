/**
 * Tells when the arguments of a call that come in pieces are complete: text whose braces are closed, or anything that is no text.
 *
 * Each character is looked at once: parsing what has come at every piece would cost its square.
 */
export class ArgumentsProgress {
  isComplete = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /** Takes the arguments of one part; undefined and null add nothing. */
  add(given: unknown): void {
    if (given === undefined || given === null) return;
    if (typeof given !== 'string') this.isComplete = true;
    else for (const character of given) this.#read(character);
  }

  #read(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString) {
      this.#isEscaped = character === '\\';
      this.#isInString = character !== '"';
    } else if (character === '"') this.#isInString = true;
    else if (character === '{' || character === '[') {
      this.#depth += 1;
      this.isComplete = false;
    } else if (character === '}' || character === ']') {
      this.#depth = Math.max(0, this.#depth - 1);
      this.isComplete = this.#depth === 0;
    }
  }
}
