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
  parameters: Bm25Parameters & { readonly enough: number },
): readonly Judgement[] {
  const asked = concepts.map((concept) => toAsked(view, concept, parameters));
  const whole = asked.reduce((sum, { worth }) => sum + worth, 0);
  const size = Math.log(view.size + 1);
  const amount = (idf: number) => Math.log(LEAST_AMOUNT + (size === 0 ? 0 : idf / size));
  const words = Math.log(concepts.length);
  const conceptsOf = indexByTerm(asked);
  const judged: Judgement[] = [];
  for (const position of documents) {
    const { covered, core, name, lead } = readDocument(view, position, asked, conceptsOf);
    const confidence = confidenceOf({
      ...{ words, name, lead, size: Math.min(size, Math.log(MOST_SIZE + 1)) },
      share: whole === 0 ? 0 : covered / whole,
      covered: amount(covered),
      core: amount(core),
      whole: amount(whole),
    });
    judged.push({ position, confidence });
    if (confidence >= parameters.enough) break;
  }
  return judged;
}

function confidenceOf(signals: Signals): number {
  const byShares = evidenceOf(signals, BY_SHARES);
  const isWhole = signals.share > 1 - ROUNDING;
  const evidence = isWhole ? byShares : Math.min(byShares, evidenceOf(signals, BY_AMOUNTS));
  return 1 / (1 + Math.exp(-evidence));
}

const ROUNDING = 1e-9;

function evidenceOf(
  signals: Signals,
  { bias, ...weights }: Readonly<Partial<Signals> & { bias: number }>,
): number {
  const names = Object.keys(weights) as (keyof Signals)[];
  return names.reduce((sum, name) => sum + weights[name]! * signals[name], bias);
}

/** A concept of the query with the data for judging it. */
interface Asked extends Pick<Concept, 'terms'> {
  /** Its idf; that of a weak word is lowered. */
  readonly worth: number;
}

function toAsked(view: IndexView, { terms, isWeak }: Concept, { weakWord }: Bm25Parameters): Asked {
  if (terms.length === 0) return { worth: view.medianIdf, terms };
  const idf = terms.reduce((most, { term }) => Math.max(most, view.idf(term)), 0);
  return { worth: isWeak ? weakWord * idf : idf, terms };
}

/** By term: the concepts that it stands for. */
type ConceptsByTerm = ReadonlyMap<number, readonly { readonly concept: number; readonly weight: number }[]>;

function indexByTerm(asked: readonly Asked[]): ConceptsByTerm {
  const concepts = new Map<number, { concept: number; weight: number }[]>();
  asked.forEach(({ terms }, concept) => {
    for (const { term, weight } of terms) {
      const known = concepts.get(term);
      if (known === undefined) concepts.set(term, [{ concept, weight }]);
      else known.push({ concept, weight });
    }
  });
  return concepts;
}

/** Returns the idf of the query in a document, and the covered shares of its name and first sentence. */
function readDocument(
  view: IndexView,
  document: number,
  asked: readonly Asked[],
  conceptsOf: ConceptsByTerm,
): Record<'covered' | 'core' | 'name' | 'lead', number> {
  const entries = view.store.entriesOf(document);
  const anywhere = new Float64Array(asked.length);
  const atCore = new Float64Array(asked.length);
  let [ofName, ofLead, name, lead] = [0, 0, 0, 0];
  for (const entry of entries) {
    const term = entry >>> ENTRY_SHIFT;
    const isCore = (entry & (ENTRY_BITS.namePart | ENTRY_BITS.lead)) !== 0;
    let best = 0;
    for (const { concept, weight } of conceptsOf.get(term) ?? []) {
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
  const idfOf = (weights: Float64Array) =>
    asked.reduce((sum, { worth }, at) => sum + weights[at]! * worth, 0);
  return {
    covered: idfOf(anywhere),
    core: idfOf(atCore),
    name: ofName === 0 ? 0 : name / ofName,
    lead: ofLead === 0 ? 0 : lead / ofLead,
  };
}
