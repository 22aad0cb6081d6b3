/** Pixels of characters at 12 pixels in DejaVu Sans, the widest of the fonts that a browser may have for "sans-serif", by kinds of characters. */
const WIDE = 12;
const CAPITAL = 9.2;
const USUAL = 7.7;
const NARROW = 4.9;

/**
 * Returns the largest width of a text at 12 pixels, in pixels. Fonts cannot be measured where a page is
 * created, so this errs on the wide side; a test in a browser fails if it does not.
 */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text, cut with an ellipsis when it is wider than that many pixels. */
export function fitText(text: string, widthPixels: number): string {
  if (textWidth(text) <= widthPixels) return text;
  let fitting = '';
  let width = WIDE;
  for (const character of text) {
    width += characterWidth(character);
    if (width > widthPixels) break;
    fitting += character;
  }
  return `${fitting}…`;
}

function characterWidth(character: string): number {
  if (/[mwMW@%—…\u{2e80}-\u{10ffff}]/u.test(character)) return WIDE;
  if (/[A-Z_<>+=~#&≤–\u{250}-\u{2e7f}]/u.test(character)) return CAPITAL;
  return /[ iljtfrI.,:;'|!()[\]/·-]/.test(character) ? NARROW : USUAL;
}
