/** The key of a list of tools in every provider's format that has one. */
const KEY = Buffer.from('"tools"');

/** A non-empty list after its key. */
const FILLED_LIST = /^"tools"\s*:\s*\[\s*[^\]\s]/;

/** Characters after the key within which the list must begin; real JSON has no more white space than that. */
const WINDOW = 64;

/**
 * Scans a passing body for a list of tools without parsing JSON: a text that mentions one may match, too.
 *
 * Keeps only the end of the last piece.
 */
export class ToolsScan {
  #end = Buffer.alloc(0);
  #hasFound = false;

  /** Whether a list was found so far. */
  get hasFound(): boolean {
    return this.#hasFound;
  }

  add(piece: Uint8Array): void {
    if (this.#hasFound) return;
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const border = Buffer.concat([this.#end, bytes.subarray(0, WINDOW)]);
    this.#hasFound = holdsTools(border) || holdsTools(bytes);
    this.#end = bytes.length >= WINDOW ? Buffer.from(bytes.subarray(-WINDOW)) : border.subarray(-WINDOW);
  }
}

function holdsTools(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(KEY); at >= 0; at = bytes.indexOf(KEY, at + 1)) {
    if (FILLED_LIST.test(bytes.toString('latin1', at, at + WINDOW))) return true;
  }
  return false;
}
