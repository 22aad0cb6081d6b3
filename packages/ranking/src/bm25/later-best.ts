import type { ComparePositions, Hit, LaterHits } from '../ranker.ts';
import type { Scored } from './score-documents.ts';
import { notBelow } from './select-best.ts';
import { toHit } from './to-hit.ts';

/** A selection of the matching documents. */
export interface LaterOptions {
  /** Maximum number of hits, including those already returned. */
  readonly limit: number;
  readonly given: ReadonlySet<number>;
  readonly compare: ComparePositions;
}

/** Takes the remaining matches from the score board, to be sorted on demand; undefined if there are none. */
export function laterBest(
  scored: Scored,
  { limit, given, compare }: LaterOptions,
): LaterHits<Hit> | undefined {
  const count = Math.min(limit, scored.count) - given.size;
  if (count <= 0) return undefined;
  // The returned ones are among them, unless they were requested from beyond the limit.
  const likely = notBelow(scored, limit);
  const rows = new LaterBest(count, likely.length, compare);
  for (const document of likely) if (!given.has(document)) rows.add(document, scored);
  return rows;
}

/** The remaining matches in columns, one row per document. */
class LaterBest implements LaterHits<Hit> {
  readonly count: number;
  readonly #documents: Uint32Array;
  readonly #scores: Float32Array;
  readonly #fields: Uint8Array;
  readonly #compare: ComparePositions;
  #rows = 0;

  constructor(count: number, mostRows: number, compare: ComparePositions) {
    this.count = count;
    this.#documents = new Uint32Array(mostRows);
    this.#scores = new Float32Array(mostRows);
    this.#fields = new Uint8Array(mostRows);
    this.#compare = compare;
  }

  add(document: number, { scores, fields }: Scored): void {
    const row = this.#rows++;
    this.#documents[row] = document;
    this.#scores[row] = scores[document]!;
    this.#fields[row] = fields[document]!;
  }

  make(): readonly Hit[] {
    const [documents, scores] = [this.#documents, this.#scores];
    return Array.from({ length: this.#rows }, (_, row) => row)
      .sort((a, b) => scores[b]! - scores[a]! || this.#compare(documents[a]!, documents[b]!))
      .slice(0, this.count)
      .map((row) => toHit(documents[row]!, scores[row]!, this.#fields[row]!));
  }
}
