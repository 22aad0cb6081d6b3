/** Text of a stream that belongs to an event whose end has not come, in the pieces that it came in. At most `limitChars` UTF-16 code units. */
export class HeldText {
  /** More text than allowed has come without an end; it is dropped. */
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

  /** What was held and the text that ends it; nothing is held then. */
  release(text: string): string {
    if (this.#pieces.length === 0) return text;
    const held = this.#pieces.join('') + text;
    this.#pieces = [];
    this.#chars = 0;
    return held;
  }
}
