import type { Judgement } from '../ranker.ts';
import type { IndexView } from './index-view.ts';
import type { Bm25Parameters } from './parameters.ts';
import { ENTRY_BITS, ENTRY_SHIFT } from './postings.ts';
import type { Concept, ReadQuery } from './read-query.ts';

/**
 * Signals of one document. Amounts of idf are in units of ln(N + 1), the idf of the rarest word, and count by
 * ln({@link LEAST_AMOUNT} + amount).
 */
interface Signals {
  /** Share of the query's idf that the document contains, and its amount. */
  readonly share: number;
  readonly covered: number;
  /** Amount of the query's idf that the name or the first sentence contains. */
  readonly core: number;
  /** Amount of the query's idf. */
  readonly whole: number;
  /** Shares of the idf of the name, and of the first sentence, that the query covers. */
  readonly name: number;
  readonly lead: number;
  /** ln(concepts of the query): the right tool covers less of a long request. */
  readonly words: number;
  /** ln(N + 1), of at most {@link MOST_SIZE} tools: in a larger catalogue, more tools match by chance. */
  readonly size: number;
}

/**
 * Two logistic regressions, of which the lower one counts. Shares alone take any word in common for a match
 * where the query has few words; amounts alone take one rare word for a match in a small catalogue. For a query
 * that the document covers as a whole, shares decide: "github" must find the tools of a catalogue that is all
 * about it.
 *
 * Source: fitted to public sets; see docs/decisions/2026-11-23-a-search-that-says-no.md.
 */
const BY_SHARES = { bias: -8.07, share: 8, words: 2.6, name: 3 } as const;
const BY_AMOUNTS = {
  bias: 1.9,
  core: 0.775,
  whole: -0.447,
  name: 1.45,
  covered: 1.99,
  lead: 1.86,
  size: -0.6,
} as const;

const LEAST_AMOUNT = 0.15;

/**
 * Number of tools from which on size lowers no confidence further: beyond it, right tools became weak in mixtures of all
 * public sets (up to 4 points of R@5).
 */
const MOST_SIZE = 500;

/**
 * Returns the confidence in each document that matches a query, from 0 to 1, comparable between queries and
 * catalogues.
 *
 * A concept without any term in the index counts with the median idf. Takes time linear in the distinct terms
 * of the documents. Ends with the first document whose confidence is `enough`.
 */
export function judgeHits(
  view: IndexView,
  { concepts }: ReadQuery,
  documents: readonly number[],
  { weakWord }: Pick<Bm25Parameters, 'weakWord'>,
  enough: number,
): readonly Judgement[] {
  const asked = askedTerms.read(view, concepts, weakWord);
  const { whole } = asked;
  const size = Math.log(view.size + 1);
  const amount = (idf: number) => Math.log(LEAST_AMOUNT + (size === 0 ? 0 : idf / size));
  const words = Math.log(concepts.length);
  const judged: Judgement[] = [];
  for (const position of documents) {
    const { covered, core, name, lead } = readDocument(view, position, asked);
    const confidence = confidenceOf({
      words,
      name,
      lead,
      size: Math.min(size, Math.log(MOST_SIZE + 1)),
      share: whole === 0 ? 0 : covered / whole,
      covered: amount(covered),
      core: amount(core),
      whole: amount(whole),
    });
    judged.push({ position, confidence });
    if (confidence >= enough) break;
  }
  return judged;
}

function confidenceOf(signals: Signals): number {
  const byShares = evidenceByShares(signals);
  const isWhole = signals.share > 1 - ROUNDING;
  const evidence = isWhole ? byShares : Math.min(byShares, evidenceByAmounts(signals));
  return 1 / (1 + Math.exp(-evidence));
}

const ROUNDING = 1e-9;

function evidenceByShares({ share, words, name }: Signals): number {
  return BY_SHARES.bias + BY_SHARES.share * share + BY_SHARES.words * words + BY_SHARES.name * name;
}

function evidenceByAmounts({ core, whole, name, covered, lead, size }: Signals): number {
  const ofQuery = BY_AMOUNTS.bias + BY_AMOUNTS.core * core + BY_AMOUNTS.whole * whole;
  const ofTool = ofQuery + BY_AMOUNTS.name * name + BY_AMOUNTS.covered * covered + BY_AMOUNTS.lead * lead;
  return ofTool + BY_AMOUNTS.size * size;
}

/**
 * The concepts that each term of a query stands for, as chains: one look-up for each term of a document. One per
 * thread, with working arrays that grow.
 */
class AskedTerms {
  /** Number of concepts, and the sum of their worth. */
  count = 0;
  whole = 0;
  /** By concept: its idf; that of a weak word is lowered. */
  worth = new Float64Array(64);
  /** By concept: its best weight in the document at hand, and in its name or first sentence. */
  anywhere = new Float64Array(64);
  atCore = new Float64Array(64);
  /** By term: the number of its last link; 0 for none. */
  last = new Uint32Array(0);
  /** By link, from 1 on: its term, concept and weight, and the previous link of the term. */
  #links = 0;
  readonly #terms = [0];
  readonly concepts = [0];
  readonly weights = [0];
  readonly previous = [0];

  read(view: IndexView, concepts: readonly Concept[], weakWord: number): this {
    for (; this.#links > 0; this.#links--) this.last[this.#terms[this.#links]!] = 0;
    this.#makeRoom(concepts.length, view.store.terms.size);
    this.count = concepts.length;
    this.whole = 0;
    for (let at = 0; at < concepts.length; at++) {
      const worth = worthOf(view, concepts[at]!, weakWord);
      this.worth[at] = worth;
      this.whole += worth;
      for (const { term, weight } of concepts[at]!.terms) this.#link(term, at, weight);
    }
    return this;
  }

  #link(term: number, concept: number, weight: number): void {
    const link = ++this.#links;
    this.#terms[link] = term;
    this.concepts[link] = concept;
    this.weights[link] = weight;
    this.previous[link] = this.last[term]!;
    this.last[term] = link;
  }

  #makeRoom(concepts: number, terms: number): void {
    if (terms > this.last.length) this.last = new Uint32Array(terms + (terms >> 2));
    if (concepts <= this.worth.length) return;
    this.worth = new Float64Array(2 * concepts);
    this.anywhere = new Float64Array(2 * concepts);
    this.atCore = new Float64Array(2 * concepts);
  }

  /** Returns the idf of the query for the weights of its concepts. */
  idfOf(weights: Float64Array): number {
    let sum = 0;
    for (let at = 0; at < this.count; at++) sum += weights[at]! * this.worth[at]!;
    return sum;
  }
}

const askedTerms = new AskedTerms();

function worthOf(view: IndexView, { terms, isWeak }: Concept, weakWord: number): number {
  if (terms.length === 0) return view.medianIdf;
  let idf = 0;
  for (const { term } of terms) idf = Math.max(idf, view.idf(term));
  return isWeak ? weakWord * idf : idf;
}

/** Returns the idf of the query in a document, and the covered shares of its name and first sentence. */
function readDocument(
  view: IndexView,
  document: number,
  asked: AskedTerms,
): Record<'covered' | 'core' | 'name' | 'lead', number> {
  const entries = view.store.entriesOf(document);
  const { last, previous, concepts, weights, anywhere, atCore } = asked;
  anywhere.fill(0, 0, asked.count);
  atCore.fill(0, 0, asked.count);
  let [ofName, ofLead, name, lead] = [0, 0, 0, 0];
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!;
    const term = entry >>> ENTRY_SHIFT;
    const isCore = (entry & (ENTRY_BITS.namePart | ENTRY_BITS.lead)) !== 0;
    let best = 0;
    for (let link = last[term]!; link > 0; link = previous[link]!) {
      const concept = concepts[link]!;
      const weight = weights[link]!;
      best = Math.max(best, weight);
      anywhere[concept] = Math.max(anywhere[concept]!, weight);
      if (isCore) atCore[concept] = Math.max(atCore[concept]!, weight);
    }
    if (!isCore) continue;
    const idf = view.idf(term);
    if ((entry & ENTRY_BITS.namePart) !== 0) {
      ofName += idf;
      name += best * idf;
    }
    if ((entry & ENTRY_BITS.lead) !== 0) {
      ofLead += idf;
      lead += best * idf;
    }
  }
  return {
    covered: asked.idfOf(anywhere),
    core: asked.idfOf(atCore),
    name: ofName === 0 ? 0 : name / ofName,
    lead: ofLead === 0 ? 0 : lead / ofLead,
  };
}
