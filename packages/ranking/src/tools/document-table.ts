import type { MeaningSubject } from './meaning-text.ts';
import { FIRST_PARAMETER_PIECE, LABELS_PIECE, piecesOf, type ToolDocument } from './tool-document.ts';

/** A document table as plain data: one string and two arrays. */
export interface PackedDocumentTable {
  /** All pieces of all documents (see `piecesOf`), concatenated. */
  readonly text: string;
  /** By piece: its end in `text`. */
  readonly pieceEnds: Uint32Array;
  /** By document: the number of its first piece; at the end, the number of pieces. */
  readonly firstPieces: Uint32Array;
}

/** Memory of an unpacked document's objects and strings, besides its characters. */
const TAIL_DOCUMENT_BYTES = 600;

/**
 * Maximum number of code units in a table; an engine's longest string has about 2 ** 29. Documents added to a
 * full table keep only their names.
 */
const MAX_TABLE_CHARS = 2 ** 28;

/**
 * The texts of many documents in one string, sliced on access.
 *
 * The packed part is immutable and moves between threads; pieces of later documents are stored separately.
 */
export class DocumentTable {
  readonly #packed: PackedDocumentTable;
  /** By document after the packed ones: its pieces. */
  readonly #tail: (readonly string[])[] = [];
  #tailBytes = 0;

  constructor(packed: PackedDocumentTable) {
    this.#packed = packed;
  }

  /** Creates a table with copies of the documents' texts. */
  static of(documents: readonly ToolDocument[]): DocumentTable {
    return tableOf(documents.map(piecesOf));
  }

  get size(): number {
    return this.packedSize + this.#tail.length;
  }

  /** Number of packed documents, which are the first ones. */
  get packedSize(): number {
    return this.#packed.firstPieces.length - 1;
  }

  /** Memory held, in bytes, at two bytes per code unit. */
  get bytes(): number {
    const { text, pieceEnds, firstPieces } = this.#packed;
    return text.length * 2 + pieceEnds.byteLength + firstPieces.byteLength + this.#tailBytes;
  }

  /** Returns a packed table of some of the documents, in the given order. */
  copy(order: Uint32Array): DocumentTable {
    return tableOf(Array.from(order, (position) => this.#pieces(position)));
  }

  /** Adds documents at the end; keeps their strings. */
  append(documents: readonly ToolDocument[]): void {
    for (const document of documents) {
      this.#tail.push(piecesOf(document));
      this.#tailBytes += TAIL_DOCUMENT_BYTES + this.chars(this.size - 1) * 2;
    }
  }

  name(position: number): string {
    return this.#piece(position, 0);
  }

  description(position: number): string {
    return this.#piece(position, 1);
  }

  /** Returns the texts of all fields except name, description and parameters, one per line. */
  labels(position: number): string {
    return this.#piece(position, LABELS_PIECE);
  }

  /** Returns names and texts of a document's parameters, in turn. */
  parameterPieces(position: number): string[] {
    return this.#pieces(position).slice(FIRST_PARAMETER_PIECE);
  }

  /** Returns the number of code units in all texts of a document. */
  chars(position: number): number {
    const pieces = this.#tailPieces(position);
    if (pieces === undefined) return this.start(position + 1) - this.start(position);
    return pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /**
   * Returns the start of a packed document's texts in `text`; for the position after the last one, the end of
   * all texts.
   */
  start(position: number): number {
    return this.#pieceStart(this.#packed.firstPieces[position]!);
  }

  /** All texts of the packed documents, concatenated without separators. */
  get text(): string {
    return this.#packed.text;
  }

  /** Returns the packed part as plain data; shares its arrays. */
  pack(): PackedDocumentTable {
    return this.#packed;
  }

  /** Returns the parts of the document that its meaning is computed from. */
  essence(position: number): MeaningSubject {
    return { name: this.name(position), description: this.description(position) };
  }

  #tailPieces(position: number): readonly string[] | undefined {
    return this.#tail[position - this.packedSize];
  }

  #pieces(position: number): readonly string[] {
    const { firstPieces } = this.#packed;
    return (
      this.#tailPieces(position) ??
      Array.from({ length: firstPieces[position + 1]! - firstPieces[position]! }, (_, at) =>
        this.#piece(position, at),
      )
    );
  }

  #piece(position: number, at: number): string {
    const pieces = this.#tailPieces(position);
    if (pieces !== undefined) return pieces[at]!;
    const { text, pieceEnds, firstPieces } = this.#packed;
    const piece = firstPieces[position]! + at;
    return text.slice(this.#pieceStart(piece), pieceEnds[piece]!);
  }

  #pieceStart(piece: number): number {
    return piece === 0 ? 0 : this.#packed.pieceEnds[piece - 1]!;
  }
}

function tableOf(documents: readonly (readonly string[])[]): DocumentTable {
  const pieces: string[] = [];
  const pieceEnds: number[] = [];
  const firstPieces = new Uint32Array(documents.length + 1);
  let chars = 0;
  documents.forEach((document, position) => {
    for (const piece of chars > MAX_TABLE_CHARS ? [document[0]!, '', ''] : document) {
      chars += piece.length;
      pieces.push(piece);
      pieceEnds.push(chars);
    }
    firstPieces[position + 1] = pieces.length;
  });
  return new DocumentTable({ text: pieces.join(''), pieceEnds: new Uint32Array(pieceEnds), firstPieces });
}
