import { DOCUMENT_LIMITS } from '../tools/document.ts';
import { ARRAY, type JsonTape, NUMBER, OBJECT, STRING, TAPE_LIMITS } from './json-tape.ts';
import {
  ADDITIONAL_PROPERTIES,
  ALL_OF,
  ANY_OF,
  CONST,
  DESCRIPTION,
  ENUM,
  ITEMS,
  NO_KEYWORD,
  ONE_OF,
  PATTERN_PROPERTIES,
  PREFIX_ITEMS,
  PROPERTIES,
  REFERENCE,
  TITLE,
} from './keywords.ts';
import { isInOrder, keywordIn, UNSURE } from './members.ts';
import { isPlainNumber } from './plain-number.ts';

/** The parameter that stands for the schema as a whole. */
export const WHOLE = 0;
/** In place of the place of a text: there is none. */
export const NO_TEXT = -1;

/**
 * The parameters of a schema on a tape with their texts, as `toDocument` finds them: nodes in rows of numbers that are used again for the
 * next schema. A parameter's texts are a chain: a schema may have its `properties` before its `description`.
 *
 * Contract: one schema at a time.
 */
export class SchemaTexts {
  /** Parameters, in schema order behind WHOLE. */
  count: number = 0;
  /** Of parameters: the keys that name them. WHOLE has none. */
  readonly names: Int32Array = new Int32Array(TAPE_LIMITS.nodes);
  /** Of parameters: the place of their first text, or NO_TEXT. */
  readonly firsts: Int32Array = new Int32Array(TAPE_LIMITS.nodes);
  readonly #lasts = new Int32Array(TAPE_LIMITS.nodes);
  /** Of texts: their nodes, strings and numbers, and the place of the parameter's next one, or NO_TEXT. */
  readonly texts: Int32Array = new Int32Array(TAPE_LIMITS.nodes);
  readonly nextTexts: Int32Array = new Int32Array(TAPE_LIMITS.nodes);
  #textCount = 0;
  #root = 0;

  /** Starts over, with no parameter but WHOLE. */
  clear(): void {
    this.count = 0;
    this.#textCount = 0;
    this.#addParameter(0);
  }

  /**
   * Reads a schema. False when it is out of the ordinary: a parser would find anything else, something would have to be cut, or there is a `$ref`.
   *
   * What DOCUMENT_LIMITS say of all parameters together, of depth and of the number of schemas holds by itself for what is on a tape: that of a text
   * of `parameterChars` bytes at most.
   */
  read(tape: JsonTape, bytes: Buffer, schema: number): boolean {
    this.#root = schema;
    return this.#visitSchema(tape, bytes, schema, WHOLE);
  }

  /** Recursive: a tape has few levels. */
  #visitSchema(tape: JsonTape, bytes: Buffer, schema: number, parameter: number): boolean {
    if (tape.kinds[schema] !== OBJECT) return true;
    const end = tape.nexts[schema]!;
    let seen = 0;
    for (let key = schema + 1; key < end; key = tape.nexts[key + 1]!) {
      const keyword = keywordIn(tape, bytes, key);
      if (keyword === NO_KEYWORD) continue;
      if (keyword === UNSURE || (seen & (1 << keyword)) !== 0) return false;
      seen |= 1 << keyword;
      // The title of the whole schema is left out.
      if (keyword === TITLE && schema === this.#root) continue;
      if (!this.#visitKeyword(tape, bytes, keyword, key + 1, parameter)) return false;
    }
    return true;
  }

  #visitKeyword(tape: JsonTape, bytes: Buffer, keyword: number, value: number, parameter: number): boolean {
    switch (keyword) {
      case TITLE:
      case DESCRIPTION:
      case CONST:
        return this.#addText(tape, bytes, value, parameter);
      case ENUM:
        return this.#visitEnum(tape, bytes, value, parameter);
      case PROPERTIES:
        return this.#visitProperties(tape, bytes, value);
      case ITEMS:
      case ADDITIONAL_PROPERTIES:
      case PREFIX_ITEMS:
      case ANY_OF:
      case ONE_OF:
      case ALL_OF:
        return this.#visitSchemas(tape, bytes, value, parameter);
      case PATTERN_PROPERTIES:
        return this.#visitPatterns(tape, bytes, value, parameter);
      case REFERENCE:
        return tape.kinds[value] !== STRING;
      default:
        return true;
    }
  }

  #visitProperties(tape: JsonTape, bytes: Buffer, properties: number): boolean {
    if (tape.kinds[properties] !== OBJECT) return true;
    if (!isInOrder(tape, bytes, properties)) return false;
    const end = tape.nexts[properties]!;
    for (let key = properties + 1; key < end; key = tape.nexts[key + 1]!) {
      if (tape.ends[key]! - tape.starts[key]! > DOCUMENT_LIMITS.nameChars) return false;
      if (!this.#visitSchema(tape, bytes, key + 1, this.#addParameter(key))) return false;
    }
    return true;
  }

  #visitPatterns(tape: JsonTape, bytes: Buffer, patterns: number, parameter: number): boolean {
    if (tape.kinds[patterns] !== OBJECT) return true;
    if (!isInOrder(tape, bytes, patterns)) return false;
    const end = tape.nexts[patterns]!;
    for (let key = patterns + 1; key < end; key = tape.nexts[key + 1]!) {
      // A list of schemas is none here.
      if (!this.#visitSchema(tape, bytes, key + 1, parameter)) return false;
    }
    return true;
  }

  /** One schema or a list of them. */
  #visitSchemas(tape: JsonTape, bytes: Buffer, value: number, parameter: number): boolean {
    if (tape.kinds[value] !== ARRAY) return this.#visitSchema(tape, bytes, value, parameter);
    const end = tape.nexts[value]!;
    for (let element = value + 1; element < end; element = tape.nexts[element]!) {
      if (!this.#visitSchema(tape, bytes, element, parameter)) return false;
    }
    return true;
  }

  #visitEnum(tape: JsonTape, bytes: Buffer, values: number, parameter: number): boolean {
    if (tape.kinds[values] !== ARRAY) return true;
    const end = tape.nexts[values]!;
    for (let element = values + 1; element < end; element = tape.nexts[element]!) {
      if (!this.#addText(tape, bytes, element, parameter)) return false;
    }
    return true;
  }

  #addParameter(name: number): number {
    this.names[this.count] = name;
    this.firsts[this.count] = NO_TEXT;
    return this.count++;
  }

  /** False when the text would have to be cut, or stands for another. */
  #addText(tape: JsonTape, bytes: Buffer, value: number, parameter: number): boolean {
    const kind = tape.kinds[value];
    if (kind !== STRING && kind !== NUMBER) return true;
    const start = tape.starts[value]!;
    const end = tape.ends[value]!;
    if (start === end) return true;
    if (end - start > DOCUMENT_LIMITS.textChars) return false;
    if (kind === NUMBER && !isPlainNumber(bytes, start, end)) return false;
    const text = this.#textCount++;
    this.texts[text] = value;
    this.nextTexts[text] = NO_TEXT;
    if (this.firsts[parameter] === NO_TEXT) this.firsts[parameter] = text;
    else this.nextTexts[this.#lasts[parameter]!] = text;
    this.#lasts[parameter] = text;
    return true;
  }
}
