import { removeMembers, splice, valueSpan } from '@winnow/core';
import { parseJson } from '../json/json-value.ts';
import { bareName } from '../tools/hidden-names.ts';

/**
 * The arguments in a bridge call: a range of its text, which has no end before it has arrived, or a text made
 * from it.
 */
type InnerArguments =
  | { readonly kind: 'range'; readonly start: number; readonly end: number | undefined }
  | { readonly kind: 'text' | 'none' | 'made'; readonly text: string };

/** The call in a bridge call. */
export interface InnerCall {
  readonly name: string;
  readonly arguments: InnerArguments;
}

/** Bridge calls within bridge calls that are read. */
const MOST_NESTED = 3;

/**
 * Reads the whole arguments of a bridge call; undefined without a name. Arguments that are absent or null are
 * an empty object; a string stands for the JSON in it; where other members stand next to the name instead,
 * those are the arguments. A bridge call of the bridge tool is its inner call.
 */
export function readInnerCall(text: string, bridgeToolName: string, nested = 0): InnerCall | undefined {
  const scan = new InnerCallScan();
  scan.push(text);
  if (scan.name === undefined) return undefined;
  const call = { name: scan.name, arguments: readArguments(text, scan) };
  if (bareName(call.name) !== bridgeToolName || nested === MOST_NESTED) return call;
  const inner = readInnerCall(argumentsIn(text, call), bridgeToolName, nested + 1);
  return (
    inner && { ...inner, arguments: { kind: 'made', text: argumentsIn(argumentsIn(text, call), inner) } }
  );
}

/** Returns the text of the arguments of a call within the text of its bridge call. */
export function argumentsIn(text: string, { arguments: inner }: InnerCall): string {
  return inner.kind === 'range' ? text.slice(inner.start, inner.end) : inner.text;
}

function readArguments(text: string, { value, hasOthers, isComplete }: InnerCallScan): InnerArguments {
  if (value === undefined) {
    if (!isComplete) return { kind: 'made', text: '' };
    return hasOthers ? { kind: 'made', text: withoutName(text) } : { kind: 'none', text: '{}' };
  }
  const { start, end } = value;
  const given = text.slice(start, end);
  if (value.kind === 'string') return { kind: 'text', text: decode(given, end !== undefined) };
  return given === 'null' ? { kind: 'made', text: '{}' } : { kind: 'range', start, end };
}

/** Returns a string of JSON as a value, without a part of an escape where it is cut off. */
function decode(quoted: string, isWhole: boolean): string {
  const decoded = parseJson(isWhole ? quoted : `${withoutCutEscape(quoted)}"`);
  if (typeof decoded !== 'string') return quoted;
  return isWhole && decoded.trim() === '' ? '{}' : decoded;
}

/** Returns the object without its names. */
function withoutName(text: string): string {
  const object = valueSpan(text);
  return splice(text, removeMembers(text, object, ['name'])).trim();
}

function withoutCutEscape(text: string): string {
  const [, backslashes = ''] = /(\\+)(?:u[0-9a-fA-F]{0,3})?$/.exec(text.slice(-MOST_BACKSLASHES)) ?? [];
  return backslashes.length % 2 === 0 ? text : text.slice(0, text.lastIndexOf('\\'));
}

/** The most backslashes at the end of a string that are counted; even, so that more count the same. */
const MOST_BACKSLASHES = 1_000;

/** The longest key or name that is read, in characters. A longer one counts as absent. */
const MOST_NAME_CHARS = 1_024;

/** The kind of a JSON value, by its first character. */
type ValueKind = 'object' | 'string' | 'other';

/** A member's value in the arguments of a bridge call: positions in their text. */
export interface ScannedValue {
  readonly kind: ValueKind;
  readonly start: number;
  /** Undefined until the value has ended. */
  end: number | undefined;
}

/**
 * Finds `name` and `arguments` in the arguments of a bridge call while they arrive. The result does not depend
 * on how the text is cut into pieces.
 *
 * Each character is read once, and nothing is kept but keys and the name. The first of equal keys counts,
 * because the rest of the call may already have been passed on. Text that is not JSON leaves the scan
 * incomplete; it never throws.
 */
export class InnerCallScan {
  /** The name of the called tool, once it has arrived whole. */
  name: string | undefined;
  /** The value of `arguments`. */
  value: ScannedValue | undefined;
  /** Whether there are members besides `name` and `arguments`. */
  hasOthers = false;
  /** Whether the object has ended. */
  isComplete = false;
  /** Whether the text does not begin with an object. */
  isMalformed = false;
  /** The number of characters read. */
  length = 0;
  #expects: 'object' | 'key' | 'colon' | 'value' | 'end of value' | 'comma' = 'object';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The text of the current key or name with its opening quote; undefined while neither is read. */
  #quoted: string | undefined;
  #key: string | undefined;
  #isScalar = false;
  /** The position after the last character of a scalar. */
  #scalarEnd = 0;

  /** Reads the next piece. */
  push(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) this.#read(piece[at]!, this.length + at);
    this.length += piece.length;
  }

  #read(character: string, at: number): void {
    if (this.isComplete || this.isMalformed) return;
    if (this.#isInString) this.#readInString(character, at);
    else if (this.#isScalar && !isBehindScalar(character)) this.#scalarEnd = at + 1;
    else if (!isBlank(character)) this.#readToken(character, at);
    else if (this.#isScalar) this.#endValue(this.#scalarEnd);
  }

  #readInString(character: string, at: number): void {
    if (this.#quoted !== undefined && this.#quoted.length <= MOST_NAME_CHARS) this.#quoted += character;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') {
      this.#isInString = false;
      if (this.#depth === 1) this.#endString(at);
    }
  }

  #endString(at: number): void {
    const text = this.#quoted === undefined ? undefined : parseJson(this.#quoted);
    this.#quoted = undefined;
    if (this.#expects === 'key') {
      this.#key = typeof text === 'string' ? text : undefined;
      this.#expects = 'colon';
      return;
    }
    if (this.#key === 'name' && typeof text === 'string' && text !== '') this.name ??= text;
    this.#endValue(at + 1);
  }

  /** Reads a character outside of strings that is not blank. */
  #readToken(character: string, at: number): void {
    const expected = this.#expects;
    if (expected === 'object') this.#begin(character);
    else if (expected === 'key' && character === '"') this.#beginString(true);
    else if (expected === 'colon' && character === ':') this.#expects = 'value';
    else if (expected === 'value') this.#beginValue(character, at);
    else if (expected === 'end of value') this.#readInValue(character, at);
    else this.#readBehindValue(character);
  }

  #begin(character: string): void {
    this.isMalformed = character !== '{';
    this.#depth = 1;
    this.#expects = 'key';
  }

  #beginString(isKept: boolean): void {
    this.#isInString = true;
    this.#quoted = isKept ? '"' : undefined;
  }

  #beginValue(character: string, at: number): void {
    const isName = this.#key === 'name';
    if (this.#key === 'arguments') {
      const kind = character === '{' ? 'object' : character === '"' ? 'string' : 'other';
      this.value ??= { kind, start: at, end: undefined };
    } else if (!isName) this.hasOthers = true;
    this.#expects = 'end of value';
    if (character === '"') this.#beginString(isName && this.name === undefined);
    else if (isOpening(character)) this.#depth += 1;
    else {
      this.#isScalar = true;
      this.#scalarEnd = at + 1;
    }
  }

  #readInValue(character: string, at: number): void {
    if (this.#isScalar) {
      this.#endValue(this.#scalarEnd);
      this.#readBehindValue(character);
    } else if (character === '"') this.#beginString(false);
    else if (isOpening(character)) this.#depth += 1;
    else if (isClosing(character)) {
      this.#depth -= 1;
      if (this.#depth === 1) this.#endValue(at + 1);
    }
  }

  #readBehindValue(character: string): void {
    if (character === ',') this.#expects = 'key';
    else if (character === '}') this.isComplete = true;
  }

  #endValue(end: number): void {
    if (this.#key === 'arguments' && this.value !== undefined) this.value.end ??= end;
    this.#key = undefined;
    this.#isScalar = false;
    this.#expects = 'comma';
  }
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

function isOpening(character: string): boolean {
  return character === '{' || character === '[';
}

function isClosing(character: string): boolean {
  return character === '}' || character === ']';
}

function isBehindScalar(character: string): boolean {
  return character === ',' || isClosing(character) || isBlank(character);
}
