import { cutText } from './cut-text.ts';
import { graphemesOf } from './graphemes-of.ts';

/** Maximum length of a summary, in UTF-16 code units, including the ellipsis. */
const MAX_CHARS = 120;

/** Number of code units to read: several times the usable length, for descriptions full of white space. */
const READ_CHARS = 2_000;

/**
 * Returns the first sentence of a description on one line, at most 120 code units.
 *
 * An empty line also ends a sentence. A longer sentence is cut after a nearby whole word if possible, never
 * within a grapheme, and ends in "…". White space is collapsed; an empty description gives an empty summary.
 */
export function summarize(description: string): string {
  const paragraph = cutText(description, READ_CHARS)
    .trim()
    .split(/\n\s*\n/, 1)[0]!;
  const folded = paragraph.replace(/\s+/g, ' ');
  const sentence = folded.slice(0, sentenceEnd(folded));
  return sentence.length <= MAX_CHARS ? sentence : `${cutAtCharacter(sentence, MAX_CHARS - 1)}…`;
}

/** A mark that may end a sentence, with closing quotes and brackets. */
const END_MARK = /[。！？]["'」』）”’]*|[.!?]+["')\]”’]*(?=\s|$)/gu;

function sentenceEnd(text: string): number {
  for (const mark of text.matchAll(END_MARK)) {
    const end = mark.index + mark[0].length;
    if (mark[0] !== '.' || !isInnerFullStop(text.slice(0, mark.index), text.slice(end).trimStart()))
      return end;
  }
  return text.length;
}

/** Words that end in a full stop within a sentence, including initials ("U.S.", "J. Smith"). */
const ABBREVIATION =
  /(^|[\s([])((\p{L}\.)*\p{Lu}|(\p{L}\.)+\p{L}|[Ee]g|[Ii]e|cf|vs|approx|incl|resp|Dr|Mrs?|Ms|Prof|St|[Nn]o|[Ff]ig|[Vv]ol)$/u;
/** Words that end in a full stop and may also end a sentence. */
const MAYBE_LAST = /(^|[\s([])(etc|inc|ltd|co|corp|al)$/i;
/** "1. Open the file": the number of a step. */
const LIST_NUMBER = /^\d{1,3}$/;

function isInnerFullStop(before: string, after: string): boolean {
  if (after === '') return false;
  if (ABBREVIATION.test(before) || LIST_NUMBER.test(before)) return true;
  return MAYBE_LAST.test(before) && !/^\p{Lu}/u.test(after);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const IS_ASCII = /^[\x00-\x7f]*$/;

function cutAtCharacter(text: string, maxChars: number): string {
  // In ASCII, every code unit is a grapheme, because line ends are collapsed.
  let end = IS_ASCII.test(cutText(text, maxChars + 1)) ? maxChars : 0;
  // Graphemes of more than this many code units do not occur in writing.
  for (const character of end > 0 ? [] : graphemesOf(cutText(text, maxChars + 32))) {
    if (end + character.length > maxChars) break;
    end += character.length;
  }
  const cut = text.slice(0, end === 0 ? cutText(text, maxChars).length : end);
  const lastSpace = cut.lastIndexOf(' ');
  const isNear = lastSpace > maxChars * 0.75 && text[end] !== ' ';
  return (isNear ? cut.slice(0, lastSpace) : cut).trimEnd();
}
