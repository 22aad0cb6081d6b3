import { CLOSE_ARRAY, endOfObject, firstElement, nextElement } from '../receive/find-tools.ts';
import { hashTool, placeOfHash, type ToolPlaces, toolBytes } from './tool-places.ts';

/** The text of a catalogue's tools, with the position of each. */
export interface PlacedTools {
  readonly tools: Buffer;
  readonly places: ToolPlaces;
}

/** An array of tools, described by the tools of another catalogue. */
export interface ToolsComparison {
  /** For each tool: its number in the known catalogue, each at most once, or its bytes if it is new. */
  readonly tools: readonly (number | Buffer)[];
  /** Start and end of each tool in turn, and the end of the array; relative to its `[`. */
  readonly offsets: Uint32Array;
}

/** Bounds of the difference between two catalogues. */
export interface ComparisonLimits {
  /** Total size of all new tools, in bytes. */
  readonly newBytes: number;
  readonly tools: number;
}

/**
 * Compares the tools of a body with those of a known catalogue, tool by tool and byte by byte.
 *
 * Tools in the same order are compared in long runs, at the speed of comparing memory; a tool out of place is
 * looked up by the hash of its bytes. `start` is the position of the array. Brackets of new tools are
 * counted; the tools are not parsed.
 *
 * Undefined if the difference exceeds the limits, or the body does not look like an array of objects.
 */
export function compareTools(
  known: PlacedTools,
  body: Buffer,
  start: number,
  limits: ComparisonLimits,
): ToolsComparison | undefined {
  return new Comparison(known, body, start, limits).run();
}

/**
 * Number of known tools to try at a place before hashes: enough for a tool that was added, changed, or left
 * out with its neighbours.
 */
const TRIED = 4;

class Comparison {
  readonly #known: PlacedTools;
  readonly #body: Buffer;
  readonly #start: number;
  readonly #limits: ComparisonLimits;
  readonly #tools: (number | Buffer)[] = [];
  readonly #offsets: number[] = [];
  readonly #isUsed: Uint8Array;
  /** The known tool after the last one found. */
  #next = 0;
  #newBytes = 0;

  constructor(known: PlacedTools, body: Buffer, start: number, limits: ComparisonLimits) {
    this.#known = known;
    this.#body = body;
    this.#start = start;
    this.#limits = limits;
    this.#isUsed = new Uint8Array(known.places.byHash.length);
  }

  run(): ToolsComparison | undefined {
    let at = firstElement(this.#body, this.#start);
    while (at >= 0 && this.#body[at] !== CLOSE_ARRAY) {
      const tool = this.#findInOrder(at);
      const end = tool === undefined ? this.#takeOne(at) : this.#takeRun(tool, at);
      if (end < 0 || this.#newBytes > this.#limits.newBytes || this.#tools.length > this.#limits.tools)
        return undefined;
      at = nextElement(this.#body, end);
    }
    if (at < 0) return undefined;
    return { tools: this.#tools, offsets: Uint32Array.from([...this.#offsets, at + 1 - this.#start]) };
  }

  #findInOrder(at: number): number | undefined {
    const end = Math.min(this.#next + TRIED, this.#isUsed.length);
    for (let tool = this.#next; tool < end; tool++) {
      if (this.#isUsed[tool] === 0 && this.#isAt(tool, at)) return tool;
    }
    return undefined;
  }

  #isAt(tool: number, at: number): boolean {
    const { tools, places } = this.#known;
    const [from, to] = [places.offsets[2 * tool]!, places.offsets[2 * tool + 1]!];
    // Compares the last bytes first, because tools start alike.
    if (this.#body[at + to - from - 2] !== tools[to - 2]) return false;
    return (
      at + to - from <= this.#body.length && tools.compare(this.#body, at, at + to - from, from, to) === 0
    );
  }

  /** Takes a known tool at this place of the body, and those after it while both texts agree. */
  #takeRun(first: number, at: number): number {
    const { tools, places } = this.#known;
    const { offsets } = places;
    const from = offsets[2 * first]!;
    const agreed = from + agreeingBytes(tools, from, this.#body, at);
    let tool = first;
    for (
      ;
      tool < this.#isUsed.length && this.#isUsed[tool] === 0 && offsets[2 * tool + 1]! <= agreed;
      tool++
    ) {
      this.#take(tool, at + offsets[2 * tool]! - from, at + offsets[2 * tool + 1]! - from);
    }
    return at + offsets[2 * tool - 1]! - from;
  }

  /** Takes a single tool, wherever it is in the known catalogue, or as new. */
  #takeOne(at: number): number {
    const end = endOfObject(this.#body, at);
    if (end < 0) return end;
    const bytes = this.#body.subarray(at, end);
    const tool = this.#findByHash(bytes);
    if (tool === undefined) this.#newBytes += bytes.length;
    this.#take(tool ?? bytes, at, end);
    return end;
  }

  #findByHash(bytes: Buffer): number | undefined {
    const { tools, places } = this.#known;
    const { hashes, byHash, offsets } = places;
    const hash = hashTool(bytes);
    const first = placeOfHash(places, hash);
    for (let place = first; place < first + TRIED && hashes[place] === hash; place++) {
      const tool = byHash[place]!;
      if (this.#isUsed[tool] === 0 && toolBytes(tools, offsets, tool).equals(bytes)) return tool;
    }
    return undefined;
  }

  #take(tool: number | Buffer, at: number, end: number): void {
    this.#tools.push(tool);
    this.#offsets.push(at - this.#start, end - this.#start);
    if (typeof tool !== 'number') return;
    this.#isUsed[tool] = 1;
    this.#next = tool + 1;
  }
}

const SMALLEST_BLOCK = 4_096;
const LARGEST_BLOCK = 1_048_576;

/** Returns the number of equal bytes from the given offsets on. */
function agreeingBytes(known: Buffer, from: number, body: Buffer, at: number): number {
  const most = Math.min(known.length - from, body.length - at);
  const differs = (start: number, end: number): boolean =>
    known.compare(body, at + start, at + end, from + start, from + end) !== 0;
  let agreed = 0;
  let block = SMALLEST_BLOCK;
  while (agreed < most) {
    const end = Math.min(agreed + block, most);
    if (differs(agreed, end)) return agreeingInBlock(agreed, end, differs);
    agreed = end;
    block = Math.min(block * 2, LARGEST_BLOCK);
  }
  return most;
}

/** Returns the position of the first difference in a block that has one. */
function agreeingInBlock(
  start: number,
  end: number,
  differs: (start: number, end: number) => boolean,
): number {
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (differs(low, middle)) high = middle;
    else low = middle;
  }
  return low;
}
