import { STOP_WORDS } from './stop-words.ts';
import { splitWords, tokenizeWord } from './tokenize.ts';

/**
 * Returns the last word of a name, as written, if every tool could have it: "Tool" in `JobTool`, "api" in
 * `weather_api`. The subject of the tool precedes it.
 *
 * Undefined for other names, and if only a verb precedes it: in `call_tool`, `create_api` or
 * `github__list_tool` it is the object of the verb.
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
 * Endings that frameworks and marketplaces append to tool names. From general knowledge; objects that tools
 * often act on ("app", "server", "function", "service") do not belong here, nor do plurals, which are lists
 * of such objects.
 */
const ENDING = /(?:tool|api|plugin|mcp|ai|gpt|bot|assistant|helper)$/i;

const WORD_END = /[^\p{L}\p{N}]$/u;
const CAPITAL_END = /\p{Lu}$/u;
const CAPITAL = /^\p{Lu}/u;
const HUMP = /^\p{Lu}\p{Ll}/u;

/** The separator between a server or group and the tool's own name. */
const PREFIX_END = /__|[.:/]/;

/**
 * Verbs of tools, from general knowledge, and stop words: a name with only these before its ending has no
 * other subject.
 */
const NO_SUBJECT: ReadonlySet<string> = new Set(
  [
    ...STOP_WORDS,
    ...`add approve ask book build call cancel change check close configure convert create delete deploy describe disable download edit enable execute explain fetch
    find generate get install invoke launch list load lookup make manage modify new open publish query read register remove request restart run save schedule search
    select send set show start stop submit test train update upload validate view write`.split(/\s+/),
  ].flatMap((word) => tokenizeWord(word).parts),
);
