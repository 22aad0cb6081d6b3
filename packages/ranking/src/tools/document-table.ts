import {
  FIRST_PARAMETER_PIECE,
  LABELS_PIECE,
  type MeaningSubject,
  piecesOf,
  type ToolDocument,
} from './tool-document.ts';

/** Memory of a document's objects and strings, besides its characters. */
const DOCUMENT_BYTES = 600;

/** The texts of many documents. Only grows. */
export class DocumentTable {
  /** By document: its pieces. */
  readonly #pieces: (readonly string[])[] = [];
  #bytes = 0;

  /** Creates a table of the documents' texts. */
  static of(documents: readonly ToolDocument[]): DocumentTable {
    const table = new DocumentTable();
    table.append(documents);
    return table;
  }

  get size(): number {
    return this.#pieces.length;
  }

  /** Memory held, in bytes, at two bytes per code unit. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns a table of some of the documents, in the given order. */
  copy(order: Uint32Array): DocumentTable {
    const copy = new DocumentTable();
    for (const position of order) copy.#add(this.#pieces[position]!);
    return copy;
  }

  /** Adds documents at the end; keeps their strings. */
  append(documents: readonly ToolDocument[]): void {
    for (const document of documents) this.#add(piecesOf(document));
  }

  name(position: number): string {
    return this.#pieces[position]![0]!;
  }

  description(position: number): string {
    return this.#pieces[position]![1]!;
  }

  /** Returns the texts of all fields except name, description and parameters, one per line. */
  labels(position: number): string {
    return this.#pieces[position]![LABELS_PIECE]!;
  }

  /** Returns names and texts of a document's parameters, in turn. */
  parameterPieces(position: number): readonly string[] {
    return this.#pieces[position]!.slice(FIRST_PARAMETER_PIECE);
  }

  /** Returns all texts of a document. */
  texts(position: number): readonly string[] {
    return this.#pieces[position]!;
  }

  /** Returns the number of code units in all texts of a document. */
  chars(position: number): number {
    return this.#pieces[position]!.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Returns the parts of the document that its meaning is computed from. */
  essence(position: number): MeaningSubject {
    return { name: this.name(position), description: this.description(position) };
  }

  #add(pieces: readonly string[]): void {
    this.#pieces.push(pieces);
    this.#bytes += DOCUMENT_BYTES + this.chars(this.size - 1) * 2;
  }
}
