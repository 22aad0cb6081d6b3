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
  const asked = concepts.map((concept) => toAsked(view, concept, weakWord));
  const whole = asked.reduce((sum, { worth }) => sum + worth, 0);
  const size = Math.log(view.size + 1);
  const amount = (idf: number) => Math.log(LEAST_AMOUNT + (size === 0 ? 0 : idf / size));
  const words = Math.log(concepts.length);
  const terms = new AskedTerms(asked);
  const judged: Judgement[] = [];
  for (const position of documents) {
    const { covered, core, name, lead } = readDocument(view, position, asked, terms);
    const confidence = confidenceOf({
      ...{ words, name, lead, size: Math.min(size, Math.log(MOST_SIZE + 1)) },
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

/** A concept of the query with the data for judging it. */
interface Asked extends Pick<Concept, 'terms'> {
  /** Its idf; that of a weak word is lowered. */
  readonly worth: number;
}

function toAsked(view: IndexView, { terms, isWeak }: Concept, weakWord: number): Asked {
  if (terms.length === 0) return { worth: view.medianIdf, terms };
  let idf = 0;
  for (const { term } of terms) idf = Math.max(idf, view.idf(term));
  return { worth: isWeak ? weakWord * idf : idf, terms };
}

/** The concepts that each term of a query stands for, as chains: one look-up for each term of a document. */
class AskedTerms {
  /** By term: the number of its last link; 0 for none. */
  readonly #last = new Map<number, number>();
  /** By link, from 1 on: its concept and weight, and the previous link of the term. */
  readonly concepts = [0];
  readonly weights = [0];
  readonly previous = [0];

  constructor(asked: readonly Asked[]) {
    for (let concept = 0; concept < asked.length; concept++) {
      for (const { term, weight } of asked[concept]!.terms) {
        this.concepts.push(concept);
        this.weights.push(weight);
        this.previous.push(this.#last.get(term) ?? 0);
        this.#last.set(term, this.concepts.length - 1);
      }
    }
  }

  lastOf(term: number): number {
    return this.#last.get(term) ?? 0;
  }
}

/** Returns the idf of the query in a document, and the covered shares of its name and first sentence. */
function readDocument(
  view: IndexView,
  document: number,
  asked: readonly Asked[],
  terms: AskedTerms,
): Record<'covered' | 'core' | 'name' | 'lead', number> {
  const entries = view.store.entriesOf(document);
  const anywhere = new Float64Array(asked.length);
  const atCore = new Float64Array(asked.length);
  let [ofName, ofLead, name, lead] = [0, 0, 0, 0];
  for (const entry of entries) {
    const term = entry >>> ENTRY_SHIFT;
    const isCore = (entry & (ENTRY_BITS.namePart | ENTRY_BITS.lead)) !== 0;
    let best = 0;
    for (let link = terms.lastOf(term); link > 0; link = terms.previous[link]!) {
      const [concept, weight] = [terms.concepts[link]!, terms.weights[link]!];
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
  const idfOf = (weights: Float64Array) => {
    let sum = 0;
    for (let at = 0; at < asked.length; at++) sum += weights[at]! * asked[at]!.worth;
    return sum;
  };
  return {
    covered: idfOf(anywhere),
    core: idfOf(atCore),
    name: ofName === 0 ? 0 : name / ofName,
    lead: ofLead === 0 ? 0 : lead / ofLead,
  };
}
