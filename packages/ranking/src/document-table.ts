import type { ToolDocument } from './document.ts';

/** A document table as plain data: one string and two arrays. */
export interface PackedDocumentTable {
  readonly text: string;
  readonly pieceEnds: Uint32Array;
  readonly firstPieces: Uint32Array;
}

/** Pieces of a document before its parameters: the name, the description. */
const FIXED_PIECES = 2;

/**
 * Most code units that a table holds; an engine's longest string has about 2 ** 29. Documents that come when it is full keep
 * their names, without further text.
 */
const MAX_TABLE_CHARS = 2 ** 28;

/**
 * The texts of many documents in one string, sliced when they are read.
 *
 * The pieces of a document stand side by side: its name, its description, then name and text of each parameter.
 * Immutable; moves between threads as it is.
 */
export class DocumentTable {
  readonly #packed: PackedDocumentTable;

  constructor(packed: PackedDocumentTable) {
    this.#packed = packed;
  }

  /** A table that holds copies of the documents' texts. */
  static of(documents: readonly ToolDocument[]): DocumentTable {
    return new DocumentTable(packDocuments(documents));
  }

  get size(): number {
    return this.#packed.firstPieces.length - 1;
  }

  /** Memory held, in bytes, taking the string for one of two bytes per code unit. */
  get bytes(): number {
    const { text, pieceEnds, firstPieces } = this.#packed;
    return text.length * 2 + pieceEnds.byteLength + firstPieces.byteLength;
  }

  name(position: number): string {
    return this.#piece(this.#firstPiece(position));
  }

  description(position: number): string {
    return this.#piece(this.#firstPiece(position) + 1);
  }

  /** Names and texts of a document's parameters, in turn. */
  *parameterPieces(position: number): Generator<string> {
    const end = this.#firstPiece(position + 1);
    for (let piece = this.#firstPiece(position) + FIXED_PIECES; piece < end; piece += 1)
      yield this.#piece(piece);
  }

  /** Where the texts of a document begin in `text`; for the position after the last one, where they all end. */
  start(position: number): number {
    return this.#pieceStart(this.#firstPiece(position));
  }

  /** All texts, one after the other, with nothing between them. */
  get text(): string {
    return this.#packed.text;
  }

  /** The table as plain data; shares its arrays. */
  pack(): PackedDocumentTable {
    return this.#packed;
  }

  #firstPiece(position: number): number {
    return this.#packed.firstPieces[position]!;
  }

  #pieceStart(piece: number): number {
    return piece === 0 ? 0 : this.#packed.pieceEnds[piece - 1]!;
  }

  #piece(piece: number): string {
    return this.#packed.text.slice(this.#pieceStart(piece), this.#packed.pieceEnds[piece]!);
  }
}

function packDocuments(documents: readonly ToolDocument[]): PackedDocumentTable {
  const pieces: string[] = [];
  const firstPieces = new Uint32Array(documents.length + 1);
  let chars = 0;
  for (let position = 0; position < documents.length; position += 1) {
    const document = documents[position]!;
    firstPieces[position] = pieces.length;
    const isFull = chars > MAX_TABLE_CHARS;
    const start = pieces.push(document.name, isFull ? '' : document.description) - FIXED_PIECES;
    if (!isFull) for (const parameter of document.parameters) pieces.push(parameter.name, parameter.text);
    for (let piece = start; piece < pieces.length; piece += 1) chars += pieces[piece]!.length;
  }
  firstPieces[documents.length] = pieces.length;
  return { text: pieces.join(''), pieceEnds: endsOf(pieces), firstPieces };
}

function endsOf(pieces: readonly string[]): Uint32Array {
  const ends = new Uint32Array(pieces.length);
  let end = 0;
  for (let piece = 0; piece < pieces.length; piece += 1) {
    end += pieces[piece]!.length;
    ends[piece] = end;
  }
  return ends;
}
