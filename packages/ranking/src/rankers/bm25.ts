import { addRelatedness, RELATED } from '../bm25/add-relatedness.ts';
import { chooseBest, laterBest, selectBest, toHit } from '../bm25/best-hits.ts';
import { IndexView, MOST_DOCUMENT_VECTORS } from '../bm25/index-view.ts';
import { judgeHits } from '../bm25/judge-hits.ts';
import { BM25_DEFAULTS, type Bm25Parameters } from '../bm25/parameters.ts';
import { WEIGHT_UNITS } from '../bm25/postings.ts';
import { type Concept, type ReadQuery, readLoosely, readQuery, unknownWords } from '../bm25/read-query.ts';
import { type Scored, scoreClause, scoreDocuments } from '../bm25/score-documents.ts';
import {
  byPosition,
  type QueryJudgement,
  type Ranker,
  type RankerIndex,
  type Ranking,
  type RankOptions,
  type RevisableIndex,
} from '../ranker.ts';
import { COMPONENTS } from '../word-vectors/word-vectors.ts';

/**
 * The default ranker: BM25F over the merged fields of tools, with bonuses for covered names and first
 * sentences.
 */
export const bm25: Ranker = createBm25(BM25_DEFAULTS);

/** Creates the ranker with other parameters, for the bench. */
export function createBm25(parameters: Bm25Parameters): Ranker {
  return {
    name: 'bm25',
    build: (documents) => new Bm25Index(IndexView.of(documents, parameters), parameters),
  };
}

/** A view as a rankable index. */
export class Bm25Index implements RankerIndex {
  readonly #view: IndexView;
  readonly #parameters: Bm25Parameters;
  /** The last query and its reading: hits are judged right after they are ranked. */
  #last: { readonly query: string; readonly read: ReadQuery } | undefined;

  constructor(view: IndexView, parameters: Bm25Parameters) {
    this.#view = view;
    this.#parameters = parameters;
  }

  get size(): number {
    return this.#view.size;
  }

  get bytes(): number {
    const { documentCount } = this.#view;
    const vectors = documentCount > MOST_DOCUMENT_VECTORS ? 0 : documentCount;
    return this.#view.store.bytes + vectors * COMPONENTS * Float32Array.BYTES_PER_ELEMENT;
  }

  get absent(): Uint8Array | undefined {
    return this.#view.absent;
  }

  get revisions(): RevisableIndex {
    const [view, parameters] = [this.#view, this.#parameters];
    return {
      nextPosition: view.store.documentCount,
      revise: (change) => new Bm25Index(view.with(change, parameters), parameters),
      compact: (order) => new Bm25Index(view.compacted(order), parameters),
    };
  }

  async rank(query: string, options: RankOptions): Promise<Ranking> {
    const { vocabulary } = this.#view;
    const read = this.#read(query);
    const compare = options.compare ?? byPosition;
    const scored = scoreDocuments(this.#view, read, this.#parameters, options);
    if (scored.count === 0) {
      const loosely = scoreDocuments(this.#view, readLoosely(read, vocabulary), this.#parameters, options);
      return toRanking(loosely, loosely.documents, options);
    }
    const best = chooseBest(scored, RELATED, compare);
    addRelatedness(scored, best, { view: this.#view, query: read, parameters: this.#parameters });
    return toRanking(scored, best, options);
  }

  cover(query: string, positions: readonly number[]): ReadonlyMap<number, number> {
    const { vocabulary } = this.#view;
    const read = this.#read(query);
    const covered = coverQuery(this.#view, read, positions, this.#parameters);
    if (covered.size > 0 || read.concepts.some(({ terms }) => terms.length > 0)) return covered;
    return coverQuery(this.#view, readLoosely(read, vocabulary), positions, this.#parameters);
  }

  judge(query: string, positions: readonly number[], enough = Infinity): QueryJudgement {
    const { vocabulary } = this.#view;
    const read = this.#read(query);
    const isKnown = read.concepts.some(({ terms }) => terms.length > 0);
    const judged = isKnown ? read : readLoosely(read, vocabulary);
    return {
      judgements: judgeHits(this.#view, judged, positions, this.#parameters, enough),
      unknownWords: () => unknownWords(query, read),
    };
  }

  #read(query: string): ReadQuery {
    if (this.#last?.query !== query)
      this.#last = { query, read: readQuery(query, this.#view.vocabulary, this.#parameters) };
    return this.#last.read;
  }
}

/** @param raised the best documents before they were raised: they remain before all others. */
function toRanking(scored: Scored, raised: ArrayLike<number>, options: RankOptions): Ranking {
  const { limit, atOnce = limit, compare = byPosition } = options;
  const wanted = Math.min(atOnce, limit);
  const among =
    wanted > raised.length
      ? scored
      : { scores: scored.scores, documents: raised, count: Math.min(raised.length, scored.count) };
  const best = selectBest(among, wanted, compare);
  const beyond = wantedBeyond(best, scored, options).sort(
    (a, b) => scored.scores[b]! - scored.scores[a]! || compare(a, b),
  );
  const given = [...best, ...beyond];
  const later =
    best.length < Math.min(limit, scored.count)
      ? laterBest(scored, { limit, given: new Set(given), compare })
      : undefined;
  return {
    hits: given.map((document) => toHit(document, scored.scores[document]!, scored.fields[document]!)),
    ...(later && { later }),
    totalMatches: scored.count,
  };
}

function wantedBeyond(best: readonly number[], scored: Scored, options: RankOptions): number[] {
  if (options.alsoPositions === undefined || options.alsoPositions.length === 0) return [];
  if (best.length === scored.count) return [];
  const wanted = new Set(options.alsoPositions);
  for (const document of best) wanted.delete(document);
  return wanted.size === 0 ? [] : matchedOf(wanted, scored);
}

function matchedOf(wanted: ReadonlySet<number>, { documents, count }: Scored): number[] {
  const matched: number[] = [];
  for (let at = 0; at < count; at++) if (wanted.has(documents[at]!)) matched.push(documents[at]!);
  return matched;
}

/**
 * Returns the share of a query that each document covers, from 0 to 1, comparable between queries (unlike
 * scores): the document's score for its best clause, divided by the score of a document with exactly the
 * words of that clause in its name. Words without any document count as words of median rarity in the
 * divisor, so that a mostly unknown clause is never fully covered.
 *
 * Documents that do not match are left out. Takes one search per clause.
 */
export function coverQuery(
  view: IndexView,
  { clauses }: ReadQuery,
  documents: readonly number[],
  parameters: Bm25Parameters,
): ReadonlyMap<number, number> {
  const best = new Map<number, number>();
  for (const clause of clauses) {
    const whole = wholeScore(view, clause, parameters);
    const scored = scoreClause(view, clause, parameters);
    const matched = new Set(scored.documents.subarray(0, scored.count));
    for (const document of documents) {
      if (!matched.has(document)) continue;
      // Scores have single precision; rounding makes a whole name reach exactly 1.
      const covered = Math.min(1, Math.round((scored.scores[document]! / whole) * PRECISION) / PRECISION);
      if (covered > (best.get(document) ?? 0)) best.set(document, covered);
    }
  }
  return best;
}

/** The reliable precision of a single-precision score. */
const PRECISION = 1e6;

/** Returns the score of a document whose name is the clause. */
function wholeScore(view: IndexView, clause: readonly Concept[], parameters: Bm25Parameters): number {
  const { k1, b, fieldWeights, matchedShare, matchedShareWords } = parameters;
  const weight = fieldWeights.name * WEIGHT_UNITS;
  const length = weight * clause.length;
  const norm = WEIGHT_UNITS * k1 * (1 - b + (b * length) / view.meanLength);
  const saturation = ((k1 + 1) * weight) / (norm + weight);
  const idfs = clause.reduce((sum, concept) => sum + conceptIdf(view, concept), 0);
  return idfs * saturation * (1 + matchedShare * Math.min(1, matchedShareWords / clause.length));
}

function conceptIdf(view: IndexView, { terms }: Concept): number {
  if (terms.length === 0) return view.medianIdf;
  return Math.max(...terms.map(({ term, weight }) => weight * view.idf(term)));
}
