import { crc32 } from 'node:zlib';
import { CLOSE_ARRAY, endOfObject, firstElement, nextElement } from '../receive/find-tools.ts';

/** Where the tools of a catalogue stand in the text of their array, and which of them may be the tool that some bytes are. */
export interface ToolPlaces {
  /** Start and end of each tool in turn, and the end of the array; counted from its `[`. */
  readonly offsets: Uint32Array;
  /** Hashes of the tools' bytes, rising. */
  readonly hashes: Uint32Array;
  /** Numbers of the tools, in the order of their hashes. */
  readonly byHash: Uint32Array;
}

/**
 * The places of the tools of an array that starts at `start`. Undefined when the text is not what an array of objects looks like; where
 * it looks like one, every tool is JSON or the text is not.
 *
 * Cost: one pass over the array, about 2 ms per megabyte.
 */
export function findToolPlaces(text: Buffer, start: number): ToolPlaces | undefined {
  const offsets: number[] = [];
  const hashOf: number[] = [];
  let at = firstElement(text, start);
  while (at >= 0 && text[at] !== CLOSE_ARRAY) {
    const end = endOfObject(text, at);
    if (end < 0) return undefined;
    offsets.push(at - start, end - start);
    hashOf.push(hashTool(text.subarray(at, end)));
    at = nextElement(text, end);
  }
  if (at < 0) return undefined;
  offsets.push(at + 1 - start);
  const byHash = Uint32Array.from(hashOf.keys()).sort((a, b) => hashOf[a]! - hashOf[b]!);
  return { offsets: Uint32Array.from(offsets), hashes: byHash.map((tool) => hashOf[tool]!), byHash };
}

/**
 * The places of tools most of which are in another catalogue, at the cost of the others. `tools` says for each its number there,
 * or its bytes; `offsets` are those of the new catalogue.
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

/** Length of the text of the tools. */
export function endOfTools({ offsets }: ToolPlaces): number {
  return offsets.at(-1)!;
}

export function toolBytes(tools: Buffer, offsets: Uint32Array, tool: number): Buffer {
  return tools.subarray(offsets[2 * tool]!, offsets[2 * tool + 1]!);
}

/** Only brings together what may be alike: whoever finds a tool by its hash compares the bytes. */
export function hashTool(bytes: Buffer): number {
  return crc32(bytes);
}

/** Where in `hashes` those that equal `hash` begin, or would. */
export function placeOfHash({ hashes }: ToolPlaces, hash: number): number {
  let [low, high] = [0, hashes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}
