import type { ToolSection } from '../format/view.ts';
import type { BodyBytes } from '../json/body-bytes.ts';
import { countValues } from '../json/scan-json.ts';

/** Limits of the remembered sections. */
export interface KnownSectionLimits {
  /** The most sections. */
  readonly count: number;
  /** The most characters of all sections together; each section keeps its bytes as well. */
  readonly characters: number;
  /**
   * The most values of all sections together, as counted by `countValues`: each takes some hundred bytes in
   * addition to its text.
   */
  readonly values: number;
  /** The shortest section that is remembered: reading a shorter one again costs less than finding it. */
  readonly fewestCharacters: number;
}

/** A section that was read before. */
export interface KnownSection {
  readonly section: ToolSection;
  readonly bytes: Buffer;
  /** The number of values, as counted by `countValues`. */
  readonly valueCount: number;
}

/** The position of a known section's bytes in a body. */
export interface KnownPlace {
  readonly known: KnownSection;
  readonly start: number;
  readonly end: number;
}

/** The most places to look for a section. Usually there is one, unless the body has the key elsewhere too. */
const MAX_PLACES = 8;

/**
 * The most recently read tool sections by their exact bytes, so that repeated ones need not be read again.
 *
 * Contract: `find` returns a section whose bytes are at the returned place. Remembered sections are frozen.
 * The least recently used sections are forgotten as soon as a limit is exceeded; no text around a section is
 * retained.
 */
export class KnownSections {
  readonly #read: (value: unknown, text: string) => ToolSection;
  readonly #limits: KnownSectionLimits;
  /** The most recently used first. */
  #sections: readonly KnownSection[] = [];

  constructor(read: (value: unknown, text: string) => ToolSection, limits: KnownSectionLimits) {
    this.#read = read;
    this.#limits = limits;
  }

  /**
   * Finds a known section after this key in bytes that may be JSON; the key must be written without escapes.
   * In JSON, the section is the whole value, because its brackets match. The caller has to check that the key
   * belongs to the outermost object.
   */
  find(body: BodyBytes, key: string): KnownPlace | undefined {
    if (this.#sections.length === 0) return undefined;
    const quoted = quotedKey(key);
    let at = body.indexOf(quoted);
    for (let places = 0; at !== -1 && places < MAX_PLACES; places += 1) {
      const start = startOfValue(body, at + quoted.length);
      const known = this.#sections.find((section) => body.holds(section.bytes, start));
      if (known !== undefined) {
        this.#use(known);
        return { known, start, end: start + known.bytes.length };
      }
      at = body.indexOf(quoted, at + quoted.length);
    }
    return undefined;
  }

  /**
   * Reads a section. Remembers it unless it is already known, or `isPlain` tells that its text does not
   * determine its value.
   */
  read(value: unknown, text: string, { isPlain }: { readonly isPlain: boolean }): ToolSection {
    const { fewestCharacters, characters } = this.#limits;
    const isBracketed = text.startsWith('[') || text.startsWith('{');
    const isWorth = isBracketed && text.length >= fewestCharacters && text.length <= characters;
    if (!isPlain || !isWorth) return this.#read(value, text);
    const known = this.#sections.find(({ section }) => section.text === text);
    if (known !== undefined) return known.section;
    const valueCount = countValues(text);
    if (valueCount > this.#limits.values) return this.#read(value, text);
    freezeDeeply(value);
    const bytes = Buffer.from(text);
    // A slice would keep the original text, which may be megabytes; a newly decoded text keeps nothing else.
    const section = this.#read(value, bytes.toString());
    this.#use({ section, bytes, valueCount });
    return section;
  }

  #use(section: KnownSection): void {
    if (this.#sections[0] === section) return;
    const others = this.#sections.filter((known) => known !== section);
    let characters = 0;
    let values = 0;
    this.#sections = [section, ...others].slice(0, this.#limits.count).filter((known) => {
      characters += known.section.text.length;
      values += known.valueCount;
      return characters <= this.#limits.characters && values <= this.#limits.values;
    });
  }
}

/** Keys as they stand in a body: each format has one. */
const quotedKeys = new Map<string, Buffer>();

function quotedKey(key: string): Buffer {
  const known = quotedKeys.get(key) ?? Buffer.from(`"${key}"`);
  quotedKeys.set(key, known);
  return known;
}

/**
 * Returns the start of the value whose key ends at `position`; the end of the body when there is no colon.
 */
function startOfValue(body: BodyBytes, position: number): number {
  const colon = skipBlank(body, position);
  return body.at(colon) === COLON ? skipBlank(body, colon + 1) : body.length;
}

function skipBlank(body: BodyBytes, start: number): number {
  let position = start;
  while (BLANKS.has(body.at(position))) position += 1;
  return position;
}

const COLON = 0x3a;
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x0a, 0x0d, 0x09]);

/**
 * Freezes a parsed value with everything in it. It uses a list instead of recursion, because JSON may nest
 * deeper than the stack.
 */
function freezeDeeply(value: unknown): void {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    Object.freeze(next);
    for (const part of Object.values(next)) {
      if (typeof part === 'object' && part !== null) pending.push(part);
    }
  }
}
