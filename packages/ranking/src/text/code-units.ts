const unitsOfText = new Uint16Array(1 << 13);

/**
 * Returns the UTF-16 code units of a text, from 0 up to its length, in an array that may be longer. Valid
 * until the next call.
 */
export function codeUnitsOf(text: string): Uint16Array {
  const units = text.length <= unitsOfText.length ? unitsOfText : new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
}

const LATIN_END = 0x100;
const latin = Buffer.alloc(256);

/**
 * Returns the text of some code units. A short Latin-1 text takes one byte per character, as in V8's own
 * strings.
 */
export function textOfUnits(units: Uint16Array, start: number, end: number): string {
  if (end - start > latin.length) return wideText(units, start, end);
  for (let at = start; at < end; at++) {
    if (units[at]! >= LATIN_END) return wideText(units, start, end);
    latin[at - start] = units[at]!;
  }
  return latin.toString('latin1', 0, end - start);
}

function wideText(units: Uint16Array, start: number, end: number): string {
  return Buffer.from(units.buffer, units.byteOffset + start * 2, (end - start) * 2).toString('utf16le');
}
