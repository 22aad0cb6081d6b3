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
