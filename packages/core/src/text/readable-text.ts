import { isJsonObject, type Json } from './canonical-json.ts';

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

/**
 * Returns the first `maxChars` UTF-16 code units of a text, one fewer if the cut would split a surrogate
 * pair.
 */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  if (maxChars <= 0) return '';
  return text.slice(0, isSplitPair(text, maxChars) ? maxChars - 1 : maxChars);
}

function isSplitPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** A text on one line, cut at a whole character, with an ellipsis, where it is longer than so many UTF-16 code units. */
export function foldToLine(text: string, maxChars: number): string {
  const line = text.toWellFormed().replace(/\s+/g, ' ').trim();
  if (line.length <= maxChars) return line;
  let end = 0;
  for (const character of graphemesOf(line.slice(0, maxChars * 2))) {
    if (end + character.length > maxChars - 1) break;
    end += character.length;
  }
  return `${line.slice(0, end).trimEnd()}…`;
}

let graphemes: Intl.Segmenter | undefined;

/** The characters of a text as its readers see them, in order. What knows them is made when it is first needed: it takes milliseconds. */
export function* graphemesOf(text: string): Iterable<string> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) yield segment;
}

/** Control characters, line and paragraph separators, and those that turn the direction of text or are not seen at all. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text from a record, safe to show on a terminal or a page: names of tools and models come from clients, and an escape sequence in one
 * could rewrite the screen. What cannot be printed is shown as its code, such as `\u{1b}`.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/**
 * Invisible characters, in which text for a model can be hidden from people: controls but for tab and line ends, and
 * everything that is ignored where it has no effect (marks of direction, characters of width zero, variation selectors,
 * fillers, tags).
 *
 * Source: https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufff9-\ufffb]/gu;

/** A text as people and models may be shown it, with what scripts and emoji need. A text without such characters is given as it is. */
export function removeInvisible(text: string): string {
  return text.replace(INVISIBLE, (char: string, at: number) => (isNeeded(char, at, text) ? char : ''));
}

/** Units of text that decide whether a character is needed: an emoji with a selector, and one code point. */
const [BEFORE, AFTER] = [3, 2];

/**
 * Whether a character changes how its visible neighbours look. A second one in a row has no such neighbour.
 *
 * Sources: https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-23/ (joiners),
 * https://www.unicode.org/reports/tr51/#Emoji_Sequences
 */
function isNeeded(char: string, at: number, text: string): boolean {
  const before = text.slice(Math.max(0, at - BEFORE), at);
  const after = text.slice(at + char.length, at + char.length + AFTER);
  switch (char) {
    case '\u200d':
      return (ENDS_JOINED.test(before) && BEGINS_JOINED.test(after)) || joinsEmoji(before, after);
    case '\u200c':
      return ENDS_JOINED.test(before) && BEGINS_JOINED.test(after);
    case '\ufe0e':
    case '\ufe0f':
      return ENDS_EMOJI.test(before) || (/[0-9#*]$/.test(before) && after.startsWith('\u20e3'));
    default:
      return MONGOLIAN.test(char) && /\p{Script=Mongolian}$/u.test(before) && !MONGOLIAN.test(before.at(-1)!);
  }
}

/** Scripts whose letters look different with a joiner or non-joiner between them. */
const JOINED_SCRIPTS = [
  ...['Arabic', 'Syriac', 'Mandaic', 'Nko', 'Mongolian', 'Adlam', 'Devanagari', 'Bengali', 'Gurmukhi'],
  ...['Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
];
/** A visible letter or mark of these scripts. */
const JOINED = `(?![\\u180b-\\u180f])(?=[\\p{L}\\p{M}])[${JOINED_SCRIPTS.map((name) => `\\p{Script_Extensions=${name}}`).join('')}]`;
const ENDS_JOINED = new RegExp(`${JOINED}$`, 'u');
const BEGINS_JOINED = new RegExp(`^${JOINED}`, 'u');
const ENDS_EMOJI = /\p{Extended_Pictographic}$/u;
/** Free variation selectors and the vowel separator. */
const MONGOLIAN = /[\u180b-\u180f]/;

function joinsEmoji(before: string, after: string): boolean {
  return (
    /(\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})$/u.test(before) &&
    /^\p{Extended_Pictographic}/u.test(after)
  );
}

/** Members of a schema whose values are compared with a model's arguments: they must stay as they are. */
const COMPARED = new Set(['enum', 'const', 'default', 'pattern', 'required', '$ref']);

/**
 * Returns a definition whose texts are fit to be read. Member names and compared values stay as they are.
 * Recursive: the depth of the value must be bounded.
 */
export function readableJson<Value>(value: Value): Value;
export function readableJson(value: Json): Json {
  if (typeof value === 'string') return removeInvisible(value);
  if (Array.isArray(value)) return value.map((item: Json) => readableJson(item));
  if (!isJsonObject(value)) return value;
  // `fromEntries` makes a member of every name, `__proto__` included.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, COMPARED.has(name) ? member : readableJson(member)]),
  );
}

/**
 * Returns the rows of a table as lines for a terminal: columns are as wide as their widest cell and two spaces
 * apart, the first `textColumns` to the left and all others to the right.
 */
export function alignTable(
  rows: readonly (readonly string[])[],
  textColumns = Number.POSITIVE_INFINITY,
): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const align = (cell: string, column: number) =>
    column < textColumns ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return rows.map((row) => row.map(align).join('  ').trimEnd());
}
