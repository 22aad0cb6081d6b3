/**
 * Takes the texts of tools, piece by piece and in order: name and description of a tool, then name and text of each of its parameters.
 * A piece may be added in several steps, or in none when it is empty.
 *
 * Contract: the sink copies what it is given before it returns, keeps no bytes, and does not read tools itself.
 */
export interface PieceSink {
  /** Adds ASCII characters to the piece. */
  addAscii(bytes: Uint8Array, start: number, end: number): void;
  /** Adds a text to the piece. */
  addText(text: string): void;
  /** The piece is whole. */
  endPiece(): void;
}
