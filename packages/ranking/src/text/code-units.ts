const unitsOfText = new Uint16Array(1 << 13);

/** The UTF-16 code units of a text, from 0 up to its length, in an array that may be longer. Valid until the next text is asked for. */
export function codeUnitsOf(text: string): Uint16Array {
  const units = text.length <= unitsOfText.length ? unitsOfText : new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
}

const LATIN_END = 0x100;
const latin = Buffer.alloc(256);

/** The text of some code units. A short one of Latin-1 alone takes a byte for each, as V8 does with such a text from elsewhere. */
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
