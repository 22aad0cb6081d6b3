import type { Hit, LaterHits } from '../ranker.ts';
import type { Scored } from './score-documents.ts';
import { notBelow } from './select-best.ts';
import { toHit } from './to-hit.ts';

/** Which of the documents that matched are meant. */
export interface LaterOptions {
  /** Most hits, those that are given already among them. */
  readonly limit: number;
  readonly given: ReadonlySet<number>;
  readonly placeOf: (document: number) => number;
}

/** What matched and is not given yet, taken off the board, to be ordered when somebody asks; undefined when that is nothing. */
export function laterBest(
  scored: Scored,
  { limit, given, placeOf }: LaterOptions,
): LaterHits<Hit> | undefined {
  const count = Math.min(limit, scored.count) - given.size;
  if (count <= 0) return undefined;
  // Those that are given are among them, unless they were wanted from beyond the limit.
  const likely = notBelow(scored, limit);
  const rows = new LaterBest(count, likely.length);
  for (const document of likely) if (!given.has(document)) rows.add(document, scored, placeOf(document));
  return rows;
}

/** One row for each document, in columns. */
class LaterBest implements LaterHits<Hit> {
  readonly count: number;
  readonly #documents: Uint32Array;
  readonly #scores: Float32Array;
  readonly #fields: Uint8Array;
  readonly #places: Uint32Array;
  #rows = 0;

  constructor(count: number, mostRows: number) {
    this.count = count;
    this.#documents = new Uint32Array(mostRows);
    this.#scores = new Float32Array(mostRows);
    this.#fields = new Uint8Array(mostRows);
    this.#places = new Uint32Array(mostRows);
  }

  add(document: number, { scores, fields }: Scored, place: number): void {
    const row = this.#rows++;
    this.#documents[row] = document;
    this.#scores[row] = scores[document]!;
    this.#fields[row] = fields[document]!;
    this.#places[row] = place;
  }

  make(): readonly Hit[] {
    const [documents, scores, places] = [this.#documents, this.#scores, this.#places];
    return Array.from({ length: this.#rows }, (_, row) => row)
      .sort((a, b) => scores[b]! - scores[a]! || places[a]! - places[b]!)
      .slice(0, this.count)
      .map((row) => toHit(documents[row]!, scores[row]!, this.#fields[row]!));
  }
}
