import { endsOf } from '../text/text-table.ts';
import type { ParameterText, ToolDocument } from './document.ts';
import { type DocumentTexts, FIXED_PIECES, type PackedDocumentTable } from './document-texts.ts';
import type { MeaningSubject } from './meaning-text.ts';

/** Objects and strings of a document that is not packed, beside its characters. */
const TAIL_DOCUMENT_BYTES = 600;

/**
 * Most code units that a table holds; an engine's longest string has about 2 ** 29. Documents that come when it is full keep
 * their names, without further text.
 */
const MAX_TABLE_CHARS = 2 ** 28;

/**
 * The texts of many documents in one string, sliced when they are read.
 *
 * The pieces of a document stand side by side: its name, its description, its labels (namespace, title and tags, a line each), then name
 * and text of each parameter. What was packed stays as it is and moves between threads; documents that come later are kept
 * as they are.
 */
export class DocumentTable {
  readonly #packed: PackedDocumentTable;
  readonly #tail: ToolDocument[] = [];
  #tailBytes = 0;

  constructor(packed: PackedDocumentTable) {
    this.#packed = packed;
  }

  /** A table that holds copies of the documents' texts. */
  static of(documents: readonly ToolDocument[]): DocumentTable {
    return new DocumentTable(packDocuments(documents));
  }

  /** A table of texts that were gathered. */
  static ofTexts(texts: DocumentTexts): DocumentTable {
    return new DocumentTable(texts.pack());
  }

  get size(): number {
    return this.packedSize + this.#tail.length;
  }

  /** How many of the documents, the first ones, have their texts in `text`. */
  get packedSize(): number {
    return this.#packed.firstPieces.length - 1;
  }

  /** Memory held, in bytes, taking strings for some of two bytes per code unit. */
  get bytes(): number {
    const { text, pieceEnds, firstPieces } = this.#packed;
    return text.length * 2 + pieceEnds.byteLength + firstPieces.byteLength + this.#tailBytes;
  }

  /** A packed table of some of the documents, in the order that is given. */
  copy(order: Uint32Array): DocumentTable {
    return DocumentTable.of(Array.from(order, (position) => this.document(position)));
  }

  /** Adds documents at the end; keeps their strings. */
  append(documents: readonly ToolDocument[]): void {
    for (const document of documents) {
      this.#tail.push(document);
      this.#tailBytes += TAIL_DOCUMENT_BYTES + this.chars(this.size - 1) * 2;
    }
  }

  name(position: number): string {
    return this.#tailDocument(position)?.name ?? this.#piece(this.#firstPiece(position));
  }

  description(position: number): string {
    return this.#tailDocument(position)?.description ?? this.#piece(this.#firstPiece(position) + 1);
  }

  labels(position: number): string {
    const document = this.#tailDocument(position);
    return document === undefined ? this.#piece(this.#firstPiece(position) + 2) : labelsOf(document);
  }

  /** Names and texts of a document's parameters, in turn. */
  *parameterPieces(position: number): Generator<string> {
    const document = this.#tailDocument(position);
    if (document !== undefined) {
      for (const { name, text } of document.parameters) yield* [name, text];
      return;
    }
    const end = this.#firstPiece(position + 1);
    for (let piece = this.#firstPiece(position) + FIXED_PIECES; piece < end; piece += 1)
      yield this.#piece(piece);
  }

  /** Code units of all texts of a document. */
  chars(position: number): number {
    const document = this.#tailDocument(position);
    if (document === undefined) return this.start(position + 1) - this.start(position);
    const { name, description, parameters } = document;
    const fixed = name.length + description.length + labelsOf(document).length;
    return parameters.reduce((sum, parameter) => sum + parameter.name.length + parameter.text.length, fixed);
  }

  /** Where the texts of a packed document begin in `text`; for the position after the last one, where they all end. */
  start(position: number): number {
    return this.#pieceStart(this.#firstPiece(position));
  }

  /** All texts of the packed documents, one after the other, with nothing between them. */
  get text(): string {
    return this.#packed.text;
  }

  /** The table as plain data, without what was appended; shares its arrays. */
  pack(): PackedDocumentTable {
    return this.#packed;
  }

  /** What a document's meaning is taken from. The names of its parameters are sliced when they are read. */
  essence(position: number): MeaningSubject {
    const parameters = () => this.#parameterNames(position);
    return {
      name: this.name(position),
      description: this.description(position),
      get parameters() {
        return parameters();
      },
    };
  }

  /** The document, with all labels as its title: they are one text here. */
  document(position: number): ToolDocument {
    const pieces = [...this.parameterPieces(position)];
    const parameters: ParameterText[] = [];
    for (let at = 0; at < pieces.length; at += 2)
      parameters.push({ name: pieces[at]!, text: pieces[at + 1]! });
    return {
      name: this.name(position),
      description: this.description(position),
      title: this.labels(position),
      parameters,
    };
  }

  #parameterNames(position: number): readonly Pick<ParameterText, 'name'>[] {
    const document = this.#tailDocument(position);
    if (document !== undefined) return document.parameters;
    const names: { name: string }[] = [];
    const end = this.#firstPiece(position + 1);
    for (let piece = this.#firstPiece(position) + FIXED_PIECES; piece < end; piece += 2)
      names.push({ name: this.#piece(piece) });
    return names;
  }

  #tailDocument(position: number): ToolDocument | undefined {
    return this.#tail[position - this.packedSize];
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
    const fixed = isFull ? ['', ''] : [document.description, labelsOf(document)];
    const start = pieces.push(document.name, ...fixed) - FIXED_PIECES;
    if (!isFull) for (const parameter of document.parameters) pieces.push(parameter.name, parameter.text);
    for (let piece = start; piece < pieces.length; piece += 1) chars += pieces[piece]!.length;
  }
  firstPieces[documents.length] = pieces.length;
  return { text: pieces.join(''), pieceEnds: endsOf(pieces), firstPieces };
}

function labelsOf({ namespace = '', title = '', tags = [] }: ToolDocument): string {
  return [namespace, title, ...tags].filter((label) => label !== '').join('\n');
}
