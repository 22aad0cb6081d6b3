/** The key of a list of tools, in every provider's format that has one. */
const KEY = Buffer.from('"tools"');

/** A list that is not empty, behind its key. */
const FILLED_LIST = /^"tools"\s*:\s*\[\s*[^\]\s]/;

/** Characters within which a list has begun behind its key; white space beyond that is nobody's way to write JSON. */
const WINDOW = 64;

/**
 * Looks for a list of tools in a body that passes by, without reading it as JSON: a text that speaks of one may be taken for one.
 *
 * Holds no more than the end of the last piece.
 */
export class ToolsScan {
  #end = Buffer.alloc(0);
  #hasFound = false;

  /** Whether there was one so far. */
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
