/**
 * The text of an unfinished event, in the pieces in which it arrived. At most `limitChars` UTF-16 code units.
 */
export class HeldText {
  /** Whether an unfinished event exceeded the limit; its text is dropped. */
  isOverflown = false;
  readonly #limitChars: number;
  #pieces: string[] = [];
  #chars = 0;

  constructor(limitChars: number) {
    this.#limitChars = limitChars;
  }

  hold(text: string): void {
    if (text === '') return;
    this.#pieces.push(text);
    this.#chars += text.length;
    this.isOverflown = this.#chars > this.#limitChars;
    if (this.isOverflown) this.#pieces = [];
  }

  /** Returns the held text with its end appended, and clears it. */
  release(text: string): string {
    if (this.#pieces.length === 0) return text;
    const held = this.#pieces.join('') + text;
    this.#pieces = [];
    this.#chars = 0;
    return held;
  }
}
