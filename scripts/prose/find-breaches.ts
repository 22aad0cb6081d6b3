/** Words with a plain replacement: people and readers have names, and the project's own inventions have standard ones. */
const BANNED =
  /\b(?:[Nn]obody|[Ss]omebody|[Ww]hoever|[Bb]eside|[Cc]lues?|[Oo]nlookers?|[Hh]eld ends?|[Pp]hantoms?)\b/g;

/** The words that turn the start of a doc comment into a clause, where a noun or a verb belongs. */
const OPENING = /^(?:What|Of|Where|How)\b/;

/** A place where prose breaks a rule of style. */
export interface Breach {
  /** Counts from 1. */
  readonly line: number;
  /** The banned word as written, or `/** What` for the start of a doc comment. */
  readonly word: string;
}

/**
 * Returns the breaches in a file, in order. In Markdown, code (in fences and in backticks) is not prose: it quotes specifications, programs
 * and their output.
 */
export function findBreaches(path: string, text: string): readonly Breach[] {
  const prose = path.endsWith('.md') ? withoutCode(text) : text;
  return [...findWords(prose), ...findOpenings(path, prose)].sort((one, other) => one.line - other.line);
}

function findWords(prose: string): readonly Breach[] {
  return prose
    .split('\n')
    .flatMap((line, at) => [...line.matchAll(BANNED)].map(([word]) => ({ line: at + 1, word })));
}

function findOpenings(path: string, prose: string): readonly Breach[] {
  if (!/\.(?:c|m)?[jt]s$|\.html$/.test(path)) return [];
  return [...prose.matchAll(/\/\*\*[\s*]*/g)].flatMap(({ 0: start, index }) => {
    const opening = OPENING.exec(prose.slice(index + start.length, index + start.length + 10));
    if (opening === null) return [];
    const line = prose.slice(0, index + start.length).split('\n').length;
    return [{ line, word: `/** ${opening[0]}` }];
  });
}

/** The text with blanks in place of code, so that lines keep their numbers. */
function withoutCode(text: string): string {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ');
  return text.replace(/^ *(`{3,}|~{3,})[\s\S]*?^ *\1/gm, blank).replace(/(`+)[^`\n]+\1/g, blank);
}
