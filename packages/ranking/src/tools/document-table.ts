import type { MeaningSubject } from './meaning-text.ts';
import { FIRST_PARAMETER_PIECE, LABELS_PIECE, piecesOf, type ToolDocument } from './tool-document.ts';

/** A document table as plain data: one string and two arrays. */
export interface PackedDocumentTable {
  /** All pieces of all documents (see `piecesOf`), one after the other. */
  readonly text: string;
  /** By piece: where it ends in `text`. */
  readonly pieceEnds: Uint32Array;
  /** By document: the number of its first piece; then the number of pieces. */
  readonly firstPieces: Uint32Array;
}

/** Objects and strings of a document that is not packed, in addition to its characters. */
const TAIL_DOCUMENT_BYTES = 600;

/**
 * Most code units that a table holds; an engine's longest string has about 2 ** 29. Documents that come when it is full keep
 * their names, without further text.
 */
const MAX_TABLE_CHARS = 2 ** 28;

/**
 * The texts of many documents in one string, sliced when they are read.
 *
 * The packed part stays as it is and moves between threads; the pieces of documents that come later are kept as they are.
 */
export class DocumentTable {
  readonly #packed: PackedDocumentTable;
  /** By document behind the packed ones: its pieces. */
  readonly #tail: (readonly string[])[] = [];
  #tailBytes = 0;

  constructor(packed: PackedDocumentTable) {
    this.#packed = packed;
  }

  /** A table that holds copies of the documents' texts. */
  static of(documents: readonly ToolDocument[]): DocumentTable {
    return tableOf(documents.map(piecesOf));
  }

  get size(): number {
    return this.packedSize + this.#tail.length;
  }

  /** Number of documents, the first ones, that have their texts in `text`. */
  get packedSize(): number {
    return this.#packed.firstPieces.length - 1;
  }

  /** Memory held, in bytes, counting two bytes for each code unit. */
  get bytes(): number {
    const { text, pieceEnds, firstPieces } = this.#packed;
    return text.length * 2 + pieceEnds.byteLength + firstPieces.byteLength + this.#tailBytes;
  }

  /** A packed table of some of the documents, in the given order. */
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

  /** The texts of all other fields than name, description and parameters, a line each. */
  labels(position: number): string {
    return this.#piece(position, LABELS_PIECE);
  }

  /** Names and texts of a document's parameters, in turn. */
  parameterPieces(position: number): string[] {
    return this.#pieces(position).slice(FIRST_PARAMETER_PIECE);
  }

  /** Code units of all texts of a document. */
  chars(position: number): number {
    const pieces = this.#tailPieces(position);
    if (pieces === undefined) return this.start(position + 1) - this.start(position);
    return pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Where the texts of a packed document begin in `text`; for the position after the last one, where they all end. */
  start(position: number): number {
    return this.#pieceStart(this.#packed.firstPieces[position]!);
  }

  /** All texts of the packed documents, one after the other, with nothing between them. */
  get text(): string {
    return this.#packed.text;
  }

  /** The table as plain data, without what was appended; shares its arrays. */
  pack(): PackedDocumentTable {
    return this.#packed;
  }

  /** The subject of a document's meaning. The names of its parameters are sliced when they are read. */
  essence(position: number): MeaningSubject {
    const parameterNames = () => this.parameterPieces(position).filter((_, piece) => piece % 2 === 0);
    return {
      name: this.name(position),
      description: this.description(position),
      get parameters() {
        return parameterNames().map((name) => ({ name }));
      },
    };
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
