/**
 * Detects when streamed arguments of a call are complete: a text whose braces are balanced, or any value that
 * is not a string.
 *
 * Each character is read once: parsing the whole text for every piece would take quadratic time.
 */
export class ArgumentsProgress {
  isComplete = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /** Takes the arguments of one part; ignores undefined and null. */
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
