/** Control characters, line and paragraph separators, and those that turn the direction of text or are not seen at all. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text from a record, safe to show on a terminal or a page: names of tools and models come from clients, and an escape sequence in one
 * could rewrite the screen. What cannot be printed is shown as its code, such as `\u{1b}`.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
