/**
 * Invisible characters that change how a text is read: controls but for tab and line ends, marks and overrides of direction, and
 * tag characters, which models read and people do not.
 *
 * Sources: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters, https://www.unicode.org/charts/PDF/UE0000.pdf
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** A text as people and models may be shown it. A text without such characters is given as it is. */
export function removeInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}
