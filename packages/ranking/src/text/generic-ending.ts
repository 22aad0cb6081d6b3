import { STOP_WORDS } from './stop-words.ts';
import { splitWords, tokenizeWord } from './tokenize.ts';

/**
 * The last word of a name where that says what every tool is, as written: "Tool" in `JobTool`, "api" in `weather_api`. What the tool is for stands before it.
 *
 * Undefined for other names, and where only a verb stands before it: in `call_tool`, `create_api` or `github__list_tool` it is what the tool acts on.
 */
export function genericEnding(name: string): string | undefined {
  const ending = ENDING.exec(name)?.[0];
  if (ending === undefined) return undefined;
  const rest = name.slice(0, -ending.length);
  if (!WORD_END.test(rest) && !(HUMP.test(ending) || (CAPITAL.test(ending) && !CAPITAL_END.test(rest))))
    return undefined;
  const parts = splitWords(rest.split(PREFIX_END).at(-1)!).flatMap((word) => tokenizeWord(word).parts);
  if (!parts.some((part) => !NO_SUBJECT.has(part))) return undefined;
  return ending;
}

/**
 * Frameworks and marketplaces put them behind the names of whatever is a tool to them. From general knowledge; words that tools often act on ("app", "server", "function",
 * "service") do not belong here, nor plurals, which are lists of such things.
 */
const ENDING = /(?:tool|api|plugin|mcp|ai|gpt|bot|assistant|helper)$/i;

const WORD_END = /[^\p{L}\p{N}]$/u;
const CAPITAL_END = /\p{Lu}$/u;
const CAPITAL = /^\p{Lu}/u;
const HUMP = /^\p{Lu}\p{Ll}/u;

/** Behind it stands what is the tool's own, before it its server or group. */
const PREFIX_END = /__|[.:/]/;

/** Verbs of tools, from general knowledge, and stop words: a name that has no others before its ending has no other subject. */
const NO_SUBJECT: ReadonlySet<string> = new Set(
  [
    ...STOP_WORDS,
    ...`add approve ask book build call cancel change check close configure convert create delete deploy describe disable download edit enable execute explain fetch
    find generate get install invoke launch list load lookup make manage modify new open publish query read register remove request restart run save schedule search
    select send set show start stop submit test train update upload validate view write`.split(/\s+/),
  ].flatMap((word) => tokenizeWord(word).parts),
);
