/** A text table as plain data, which may move between threads: one string and two arrays, or three. */
export interface PackedTexts {
  /** All texts, one after the other. */
  readonly text: string;
  /** Where each of them ends in `text`. */
  readonly ends: Uint32Array;
  /**
   * Open addressing with linear probing, by the hash of a text: its number plus 1, or 0 where there is none. As many as a power of two, of which at most half
   * are used.
   */
  readonly slots: Uint32Array;
  /** Numbers of texts that found no place near theirs: none in practice, unless somebody chooses texts for their hash. */
  readonly crowded?: Uint32Array | undefined;
}

/**
 * Different texts, numbered from 0 on, to be found by their letters.
 *
 * All in one string and a few arrays: what another thread has packed is ready to be searched as it comes, and however many texts there are, the garbage
 * collector has a handful of objects to look at. A `Map` of as many strings takes milliseconds to make, and is marked string by string.
 *
 * Contract: immutable; texts that are given are slices, which may keep all of the table's text alive.
 */
export class TextTable {
  readonly #packed: PackedTexts;
  /** Made when somebody looks for one. */
  #crowded: Map<string, number> | undefined;

  constructor(packed: PackedTexts) {
    this.#packed = packed;
  }

  /** A table of texts of which no two are equal; holds a copy of them. */
  static of(texts: readonly string[]): TextTable {
    const text = texts.join('');
    const ends = endsOf(texts);
    return new TextTable({ text, ends, ...slotsOf(text, ends) });
  }

  /** Number of texts. */
  get length(): number {
    return this.#packed.ends.length;
  }

  /** Memory held, in bytes, roughly: taking the characters for Latin-1, which V8 keeps in a byte each. */
  get bytes(): number {
    const { text, ends, slots, crowded } = this.#packed;
    return text.length + ends.byteLength + slots.byteLength + (crowded?.byteLength ?? 0);
  }

  /** All texts, with nothing between them. */
  get text(): string {
    return this.#packed.text;
  }

  /** Where a text begins in `text`. */
  start(number: number): number {
    return startOf(this.#packed.ends, number);
  }

  /** Where a text ends in `text`. */
  end(number: number): number {
    return this.#packed.ends[number]!;
  }

  at(number: number): string {
    return this.#packed.text.slice(this.start(number), this.end(number));
  }

  find(text: string): number | undefined {
    const { slots } = this.#packed;
    const mask = slots.length - 1;
    let slot = hashOf(text, 0, text.length) & mask;
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const number = slots[slot]! - 1;
      if (number < 0) return undefined;
      if (this.#isAt(number, text)) return number;
      slot = (slot + 1) & mask;
    }
    return this.#findCrowded(text);
  }

  /** The table as plain data; shares its arrays. */
  pack(): PackedTexts {
    return this.#packed;
  }

  #isAt(number: number, text: string): boolean {
    const start = this.start(number);
    return this.end(number) - start === text.length && this.#packed.text.startsWith(text, start);
  }

  #findCrowded(text: string): number | undefined {
    this.#crowded ??= new Map(Array.from(this.#packed.crowded ?? [], (number) => [this.at(number), number]));
    return this.#crowded.get(text);
  }
}

/** Far more than half-full tables need. */
const MAX_PROBES = 64;

function slotsOf(text: string, ends: Uint32Array): Pick<PackedTexts, 'slots' | 'crowded'> {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(1, 2 * ends.length))));
  const crowded: number[] = [];
  for (let number = 0; number < ends.length; number++) {
    const slot = freeSlot(slots, hashOf(text, startOf(ends, number), ends[number]!));
    if (slot === undefined) crowded.push(number);
    else slots[slot] = number + 1;
  }
  return { slots, crowded: crowded.length === 0 ? undefined : Uint32Array.from(crowded) };
}

function freeSlot(slots: Uint32Array, hash: number): number | undefined {
  const mask = slots.length - 1;
  for (let probe = 0; probe < MAX_PROBES; probe++) {
    const slot = (hash + probe) & mask;
    if (slots[slot] === 0) return slot;
  }
  return undefined;
}

/** FNV-1a, by code units (http://www.isthe.com/chongo/tech/comp/fnv/), its high bits mixed into the low ones that tables take. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}

function startOf(ends: Uint32Array, number: number): number {
  return number === 0 ? 0 : ends[number - 1]!;
}

/** Where texts end that stand one behind the other. */
export function endsOf(texts: readonly string[]): Uint32Array {
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (let number = 0; number < texts.length; number++) {
    end += texts[number]!.length;
    ends[number] = end;
  }
  return ends;
}
