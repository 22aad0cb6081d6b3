import type { ToolDocument } from '../document.ts';
import { forEachWord, type WordVisitor } from '../tokenize.ts';
import { FIELD_BITS } from './flat-index.ts';
import { leadEnd } from './lead-end.ts';
import { type Lexicon, sharedLexicon } from './lexicon.ts';
import type { Bm25Parameters } from './parameters.ts';

/** The bits for a field's telling parts, and for what else it holds. */
interface Field {
  readonly partBit: number;
  readonly otherBit: number;
}

const NAME: Field = { partBit: FIELD_BITS.namePart, otherBit: FIELD_BITS.name };
const LEAD: Field = { partBit: FIELD_BITS.lead, otherBit: FIELD_BITS.description };
const DESCRIPTION: Field = { partBit: FIELD_BITS.description, otherBit: FIELD_BITS.description };
const PARAMETERS: Field = { partBit: FIELD_BITS.parameters, otherBit: FIELD_BITS.parameters };

/**
 * Gathers the weighted terms of documents, one after the other: one entry for each term of a document, in flat arrays that
 * grow. Stop words count in names only, where they are rare and tell tools apart.
 */
export class TermCollector {
  readonly terms: string[] = [];
  /** Entries of document d are those from `entryStart[d]` up to `entryStart[d + 1]`. */
  readonly entryStart: Uint32Array;
  /** Sum of the weights of all words of each document. */
  readonly lengths: Float64Array;
  entryTerm = new Uint32Array(1 << 12);
  entryWeight = new Float32Array(1 << 12);
  entryFields = new Uint8Array(1 << 12);
  entryCount = 0;

  readonly #weights: Bm25Parameters['fieldWeights'];
  readonly #lexicon: Lexicon = sharedLexicon();
  /** Number of each token of the lexicon among `terms`; -1 while it has none. */
  #termOfToken = new Int32Array(this.#lexicon.tokens.length + 1024).fill(-1);
  /** The latest entry of each term; it belongs to the document being read if it is not before `entryStart`. */
  #entryOfTerm = new Int32Array(1 << 10).fill(-1);
  #document = 0;
  #field: Field = NAME;
  #weight = 0;

  constructor(documentCount: number, weights: Bm25Parameters['fieldWeights']) {
    this.#weights = weights;
    this.entryStart = new Uint32Array(documentCount + 1);
    this.lengths = new Float64Array(documentCount);
  }

  add(document: ToolDocument): void {
    const end = leadEnd(document.description);
    this.#read(document.name, NAME, this.#weights.name);
    this.#read(document.description.slice(0, end), LEAD, this.#weights.lead);
    this.#read(document.description.slice(end), DESCRIPTION, this.#weights.description);
    for (const parameter of document.parameters) {
      this.#read(parameter.name, PARAMETERS, this.#weights.parameterName);
      this.#read(parameter.text, PARAMETERS, this.#weights.parameterText);
    }
    this.#document++;
    this.entryStart[this.#document] = this.entryCount;
  }

  #read(text: string, field: Field, weight: number): void {
    if (text === '') return;
    this.#field = field;
    this.#weight = weight;
    forEachWord(text, this.#countWord);
  }

  readonly #countWord: WordVisitor = (source, start, end, hash) => {
    const { partIds, wholeIds, isStopWord } = this.#lexicon.entryAt(source, start, end, hash);
    const { partBit, otherBit } = this.#field;
    if (isStopWord && this.#field !== NAME) return;
    for (let at = 0; at < partIds.length; at++) {
      this.#count(this.#termOf(partIds[at]!), isStopWord ? otherBit : partBit);
    }
    for (let at = 0; at < wholeIds.length; at++) this.#count(this.#termOf(wholeIds[at]!), otherBit);
  };

  #termOf(tokenId: number): number {
    if (tokenId >= this.#termOfToken.length) this.#termOfToken = grown(this.#termOfToken, -1);
    const known = this.#termOfToken[tokenId]!;
    if (known >= 0) return known;
    const term = this.terms.push(this.#lexicon.tokens[tokenId]!) - 1;
    this.#termOfToken[tokenId] = term;
    if (term >= this.#entryOfTerm.length) this.#entryOfTerm = grown(this.#entryOfTerm, -1);
    return term;
  }

  #count(term: number, fieldBit: number): void {
    this.lengths[this.#document]! += this.#weight;
    const known = this.#entryOfTerm[term]!;
    if (known >= this.entryStart[this.#document]!) {
      this.entryWeight[known]! += this.#weight;
      this.entryFields[known]! |= fieldBit;
      return;
    }
    const entry = this.entryCount++;
    if (entry === this.entryTerm.length) this.#growEntries();
    this.#entryOfTerm[term] = entry;
    this.entryTerm[entry] = term;
    this.entryWeight[entry] = this.#weight;
    this.entryFields[entry] = fieldBit;
  }

  #growEntries(): void {
    this.entryTerm = grown(this.entryTerm);
    this.entryWeight = grown(this.entryWeight);
    this.entryFields = grown(this.entryFields);
  }
}

/** A copy of twice the length. */
function grown<A extends Uint32Array | Int32Array | Float32Array | Uint8Array>(array: A, filler = 0): A {
  const larger = new (array.constructor as new (length: number) => A)(array.length * 2);
  if (filler !== 0) larger.fill(filler, array.length);
  larger.set(array);
  return larger;
}
