import type { PieceSink } from '../from-bytes/piece-sink.ts';
import { textOfUnits } from '../text/code-units.ts';
import type { ToolDocument } from './document.ts';

/** A document table as plain data: one string and two arrays. */
export interface PackedDocumentTable {
  readonly text: string;
  readonly pieceEnds: Uint32Array;
  readonly firstPieces: Uint32Array;
}

/** Pieces of a document before its parameters: the name, the description, the labels. */
export const FIXED_PIECES = 3;

const FIRST_UNITS = 2 ** 14;
/** Four mebibytes. */
const MAX_KEPT_UNITS = 2 ** 21;

/** Code units of texts of Latin-1 alone, which V8 keeps in a byte each. */
const MAX_LATIN = 0xff;

/**
 * Gathers the texts of documents that have a name, a description and parameters alone, piece by piece, as UTF-16 code units in one array: what an index
 * reads, and what a `DocumentTable` is packed from. No string is made of a text that comes as bytes.
 *
 * The pieces of a document come in order: name, description, then name and text of each parameter. Where pieces end is counted over all documents.
 */
export class DocumentTexts implements PieceSink {
  units = new Uint16Array(FIRST_UNITS);
  pieceEnds = new Uint32Array(1 << 10);
  #firstPieces = new Uint32Array(1 << 8);
  #length = 0;
  #pieceCount = 0;
  #documentCount = 0;
  /** All units together, bit by bit. */
  #bits = 0;

  get documentCount(): number {
    return this.#documentCount;
  }

  /** Number of the first piece of a document; for the number behind the last one, where they all end. */
  firstPiece(document: number): number {
    return this.#firstPieces[document]!;
  }

  piece(piece: number): string {
    const start = piece === 0 ? 0 : this.pieceEnds[piece - 1]!;
    return textOfUnits(this.units, start, this.pieceEnds[piece]!);
  }

  /** Adds a document whose tool was read from objects. */
  add({ name, description, parameters }: ToolDocument): void {
    for (const text of [name, description]) this.#addPiece(text);
    for (const parameter of parameters) {
      this.#addPiece(parameter.name);
      this.#addPiece(parameter.text);
    }
    this.endDocument();
  }

  /** Adds ASCII bytes to the piece. */
  addAscii(bytes: Uint8Array, start: number, end: number): void {
    this.#makeRoom(end - start);
    let to = this.#length;
    for (let at = start; at < end; at++) this.units[to++] = bytes[at]!;
    this.#length = to;
  }

  /** Adds a text to the piece. */
  addText(text: string): void {
    this.#makeRoom(text.length);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      this.#bits |= unit;
      this.units[this.#length++] = unit;
    }
  }

  /** The piece is whole. */
  endPiece(): void {
    this.#endPiece();
    // Behind the description stand the labels.
    if (this.#pieceCount - this.#firstPieces[this.#documentCount]! === FIXED_PIECES - 1) this.#endPiece();
  }

  /** The document is whole. */
  endDocument(): void {
    this.#documentCount++;
    if (this.#documentCount === this.#firstPieces.length) this.#firstPieces = twice(this.#firstPieces);
    this.#firstPieces[this.#documentCount] = this.#pieceCount;
  }

  /** Forgets all documents, and keeps the memory for the next ones unless it is much. */
  clear(): void {
    this.#length = 0;
    this.#pieceCount = 0;
    this.#documentCount = 0;
    this.#bits = 0;
    if (this.units.length > MAX_KEPT_UNITS) this.units = new Uint16Array(FIRST_UNITS);
  }

  /** The texts as plain data. */
  pack(): PackedDocumentTable {
    return {
      text: this.#text(),
      pieceEnds: this.pieceEnds.slice(0, this.#pieceCount),
      firstPieces: this.#firstPieces.slice(0, this.#documentCount + 1),
    };
  }

  #text(): string {
    const units = this.units.subarray(0, this.#length);
    const isLatin = this.#bits <= MAX_LATIN;
    return isLatin ? Buffer.from(units).toString('latin1') : textOfUnits(units, 0, units.length);
  }

  #addPiece(text: string): void {
    this.addText(text);
    this.endPiece();
  }

  #endPiece(): void {
    if (this.#pieceCount === this.pieceEnds.length) this.pieceEnds = twice(this.pieceEnds);
    this.pieceEnds[this.#pieceCount++] = this.#length;
  }

  #makeRoom(count: number): void {
    if (this.#length + count <= this.units.length) return;
    const larger = new Uint16Array(Math.max(this.units.length * 2, this.#length + count));
    larger.set(this.units);
    this.units = larger;
  }
}

function twice(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
