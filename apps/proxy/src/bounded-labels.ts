/** Characters of the names of models and servers. Other texts do not become labels. */
const NAME = /^[\w.:/@+-]{1,100}$/;

/**
 * Turns texts of clients into values of a metric's label: the first ones keep their text, all others become
 * `other`. So a client that invents names cannot fill the memory of the process or of the metrics collector.
 */
export class BoundedLabels {
  readonly #known = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the value for a text; a text that is not `trusted` gets no new value, but may already have one. */
  labelOf(text: string, trusted = true): string {
    if (this.#known.has(text)) return text;
    if (!trusted || this.#known.size >= this.#most || !NAME.test(text)) return 'other';
    this.#known.add(text);
    return text;
  }
}
