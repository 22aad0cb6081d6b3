const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Widths of a bucket; each divides the next, so that buckets can be joined. */
const WIDTHS_MS = [
  SECOND_MS,
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
];

/** The content of one stretch of time. */
export interface Bucket<Content> {
  /** In milliseconds since 1970. */
  readonly start: number;
  readonly content: Content;
}

/** Creates contents, and joins those of neighbouring buckets. */
export interface BucketContent<Content> {
  readonly empty: () => Content;
  readonly join: (into: Content, from: Content) => void;
}

/**
 * Counts over time without knowing the period in advance: begins with buckets of a second and joins them into
 * wider ones as the period grows, so that there are never more than `most` from the first to the last.
 */
export class TimeBuckets<Content> {
  readonly #buckets = new Map<number, Content>();
  readonly #content: BucketContent<Content>;
  readonly #most: number;
  #width = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(content: BucketContent<Content>, most: number) {
    this.#content = content;
    this.#most = most;
  }

  get widthMs(): number {
    return widthAt(this.#width);
  }

  /** The content that a time belongs to, to be added to at once: it may be joined with others later. */
  at(time: number): Content {
    this.#first = Math.min(this.#first, time);
    this.#last = Math.max(this.#last, time);
    while (this.#span() > this.#most) this.#widen();
    return this.#contentAt(this.#startOf(time));
  }

  /** All buckets in order, those without anything in them included. */
  result(): Bucket<Content>[] {
    if (this.#buckets.size === 0) return [];
    const first = this.#startOf(this.#first);
    return Array.from({ length: this.#span() }, (_, index) => {
      const start = first + index * this.widthMs;
      return { start, content: this.#buckets.get(start) ?? this.#content.empty() };
    });
  }

  #startOf(time: number): number {
    return Math.floor(time / this.widthMs) * this.widthMs;
  }

  #span(): number {
    return (this.#startOf(this.#last) - this.#startOf(this.#first)) / this.widthMs + 1;
  }

  #contentAt(start: number): Content {
    const known = this.#buckets.get(start);
    if (known !== undefined) return known;
    const content = this.#content.empty();
    this.#buckets.set(start, content);
    return content;
  }

  #widen(): void {
    this.#width++;
    const narrow = [...this.#buckets];
    this.#buckets.clear();
    for (const [start, content] of narrow) {
      this.#content.join(this.#contentAt(this.#startOf(start)), content);
    }
  }
}

/** The widths keep doubling, so that every time fits. */
function widthAt(index: number): number {
  const last = WIDTHS_MS.length - 1;
  return WIDTHS_MS[index] ?? WIDTHS_MS[last]! * 2 ** (index - last);
}
