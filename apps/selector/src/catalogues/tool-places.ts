import { crc32 } from 'node:zlib';

/**
 * Positions of a catalogue's tools in the text of their array, with an index to look up tools by their bytes.
 */
export interface ToolPlaces {
  /** Start and end of each tool in turn, and the end of the array; relative to its `[`. */
  readonly offsets: Uint32Array;
  /** Hashes of the tools' bytes, in ascending order. */
  readonly hashes: Uint32Array;
  /** Numbers of the tools, in the order of their hashes. */
  readonly byHash: Uint32Array;
}

/** Records positions of tools, in order. */
export class ToolPlacesTaker {
  readonly #offsets: number[] = [];
  readonly #hashOf: number[] = [];

  get count(): number {
    return this.#hashOf.length;
  }

  /** Records a tool, at an offset from the `[` of its array. */
  add(bytes: Buffer, offset: number): void {
    this.#offsets.push(offset, offset + bytes.length);
    this.#hashOf.push(hashTool(bytes));
  }

  /** Returns the positions, given the end of the array. */
  finish(end: number): ToolPlaces {
    const hashOf = Uint32Array.from(this.#hashOf);
    const byHash = Uint32Array.from(hashOf.keys()).sort((a, b) => hashOf[a]! - hashOf[b]!);
    const offsets = Uint32Array.from([...this.#offsets, end]);
    return { offsets, hashes: byHash.map((tool) => hashOf[tool]!), byHash };
  }
}

/**
 * Returns the positions of tools that are mostly in another catalogue, at the cost of the new ones. `tools`
 * holds for each its number there, or its bytes; `offsets` belong to the new catalogue.
 */
export function reviseToolPlaces(
  known: ToolPlaces,
  tools: readonly (number | Buffer)[],
  offsets: Uint32Array,
): ToolPlaces {
  const numberOf = new Int32Array(known.byHash.length).fill(-1);
  const added: [hash: number, tool: number][] = [];
  for (let tool = 0; tool < tools.length; tool++) {
    const one = tools[tool]!;
    if (typeof one === 'number') numberOf[one] = tool;
    else added.push([hashTool(one), tool]);
  }
  added.sort(([one], [other]) => one - other);
  const hashes = new Uint32Array(tools.length);
  const byHash = new Uint32Array(tools.length);
  let place = 0;
  let next = 0;
  const put = (hash: number, tool: number): void => {
    hashes[place] = hash;
    byHash[place++] = tool;
  };
  for (let at = 0; at < known.hashes.length; at++) {
    const hash = known.hashes[at]!;
    while (next < added.length && added[next]![0] <= hash) put(...added[next++]!);
    const tool = numberOf[known.byHash[at]!]!;
    if (tool >= 0) put(hash, tool);
  }
  while (next < added.length) put(...added[next++]!);
  return { offsets, hashes, byHash };
}

/** Returns the length of the tools' text. */
export function endOfTools({ offsets }: ToolPlaces): number {
  return offsets.at(-1)!;
}

export function toolBytes(tools: Buffer, offsets: Uint32Array, tool: number): Buffer {
  return tools.subarray(offsets[2 * tool]!, offsets[2 * tool + 1]!);
}

/** Returns a hash of a tool. It only finds candidates: callers compare the bytes. */
export function hashTool(bytes: Buffer): number {
  return crc32(bytes);
}

/** Returns the first index in `hashes` with a value of at least `hash`. */
export function placeOfHash({ hashes }: ToolPlaces, hash: number): number {
  let [low, high] = [0, hashes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}
