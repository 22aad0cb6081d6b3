import type { ToolSection } from '../format/view.ts';
import { countValues } from '../json/has-many-values.ts';
import type { BodyBytes } from './body-bytes.ts';

/** How much is remembered. */
export interface KnownSectionLimits {
  /** Sections. */
  readonly count: number;
  /** Characters of all sections together; each takes its bytes beside them. */
  readonly characters: number;
  /** Values of all sections together, as `countValues` counts them: each takes some hundred bytes, whatever its text. */
  readonly values: number;
  /** Characters below which reading a section again costs less than looking for it. */
  readonly fewestCharacters: number;
}

/** A section that was read before. */
export interface KnownSection {
  readonly section: ToolSection;
  readonly bytes: Buffer;
  /** As `countValues` counts them. */
  readonly valueCount: number;
}

/** Where the bytes of a known section stand in others. */
export interface KnownPlace {
  readonly known: KnownSection;
  readonly start: number;
  readonly end: number;
}

/** Places at which a section is looked for: one is where it is, unless a body has the key elsewhere too. */
const MAX_PLACES = 8;

/**
 * The sections of tools read last, each by its own exact bytes, so that one that comes again need not be read again.
 *
 * Contract: what `find` gives has the bytes that stand at its place. What is remembered is frozen. What is over a limit is forgotten at once,
 * the least recently used first; nothing of the text around a section is retained.
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
   * A known section that stands behind this key, written without escapes, in bytes that are JSON, or may be. In JSON it is the whole value there,
   * as brackets pair up. Whether the key is one of the outermost object, the caller has to find out.
   */
  find(body: BodyBytes, key: string): KnownPlace | undefined {
    if (this.#sections.length === 0) return undefined;
    const quoted = Buffer.from(`"${key}"`);
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

  /** Reads a section, and remembers it unless it is known already or `isPlain` says that its text does not tell its value. */
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
    // A slice would keep the text that it was cut from, which may be megabytes; a text decoded anew keeps nothing.
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

/** Where the value begins whose key ends at `position`; behind the end when there is no colon. */
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

/** Freezes a parsed value and all within. A list instead of recursion, as JSON may nest deeper than the stack. */
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
