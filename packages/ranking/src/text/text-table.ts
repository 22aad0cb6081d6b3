/** A text table as plain data, which can move between threads: one string and two or three arrays. */
export interface PackedTexts {
  /** All texts, concatenated. */
  readonly text: string;
  /** End of each text in `text`. */
  readonly ends: Uint32Array;
  /**
   * Slots for open addressing with linear probing, by the hash of a text: its number plus 1, or 0 for a free
   * slot. Their number is a power of two; at most half are used.
   */
  readonly slots: Uint32Array;
  /** Numbers of texts without a free slot nearby: only texts constructed to collide. */
  readonly crowded?: Uint32Array | undefined;
}

/**
 * Distinct texts, numbered from 0, for look-ups by text.
 *
 * All texts are in one string and a few arrays: a packed table from another thread is searchable immediately,
 * and the garbage collector sees only a few objects. A `Map` of as many strings takes milliseconds to build,
 * and is marked string by string.
 *
 * Contract: immutable; returned texts are slices, which may keep the table's whole text alive.
 */
export class TextTable {
  readonly #packed: PackedTexts;
  /** Built at the first look-up. */
  #crowded: Map<string, number> | undefined;

  constructor(packed: PackedTexts) {
    this.#packed = packed;
  }

  /** Creates a table of distinct texts; it holds a copy of them. */
  static of(texts: readonly string[]): TextTable {
    const text = texts.join('');
    const ends = endsOf(texts);
    return new TextTable({ text, ends, ...slotsOf(text, ends) });
  }

  /** Number of texts. */
  get length(): number {
    return this.#packed.ends.length;
  }

  /** Approximate memory held, in bytes, assuming Latin-1 characters, which V8 stores in one byte each. */
  get bytes(): number {
    const { text, ends, slots, crowded } = this.#packed;
    return text.length + ends.byteLength + slots.byteLength + (crowded?.byteLength ?? 0);
  }

  /** All texts, concatenated without separators. */
  get text(): string {
    return this.#packed.text;
  }

  /** Returns the start of a text in `text`. */
  start(number: number): number {
    return startOf(this.#packed.ends, number);
  }

  /** Returns the end of a text in `text`. */
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

  /** Returns the table as plain data; shares its arrays. */
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

/**
 * Returns the FNV-1a hash by code units (http://www.isthe.com/chongo/tech/comp/fnv/), its high bits mixed
 * into the low ones that tables use.
 */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}

function startOf(ends: Uint32Array, number: number): number {
  return number === 0 ? 0 : ends[number - 1]!;
}

/** Returns the end of each text after concatenation. */
export function endsOf(texts: readonly string[]): Uint32Array {
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (let number = 0; number < texts.length; number++) {
    end += texts[number]!.length;
    ends[number] = end;
  }
  return ends;
}
