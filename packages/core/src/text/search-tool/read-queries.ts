import { LIMITS } from '../../contract/limits.ts';
import { parseJson } from '../read-text.ts';

/** The longest phrases of one search together, in characters: more words find nothing better, and cost time. */
const MOST_CHARS = 8_192;

/** The longest beginning of a text in which lines are looked for. */
const MOST_READ = 8 * MOST_CHARS;

/** Most values of the arguments that are looked at, and their depth. */
const MOST_VALUES = 200;
const MOST_DEPTH = 6;

/**
 * Returns the phrases in the arguments of a search, each once, at most 16, however a model writes them: `queries` or
 * `query` as a list or a text (also of JSON), a list of objects, each of which is one phrase, or the arguments
 * themselves in one of these forms. Lines of a text are phrases.
 *
 * @param others names of further parameters, which hold no phrase.
 */
export function readQueries(given: unknown, others: readonly string[] = []): readonly string[] {
  const phrases = new Set<string>();
  const named = isObject(given) ? [given.queries, given.query] : [given];
  const isOther = (name: string) => others.includes(name);
  let values = 0;
  let room = MOST_CHARS;
  const add = (text: string) => {
    for (const line of text.slice(0, MOST_READ).split('\n')) {
      const phrase = line.trim().slice(0, room);
      if (phrase === '' || phrases.has(phrase) || phrases.size === LIMITS.patterns) continue;
      phrases.add(phrase);
      room -= phrase.length;
    }
  };
  const read = (value: unknown, depth: number): void => {
    if (++values > MOST_VALUES || depth > MOST_DEPTH) return;
    if (typeof value === 'string') {
      const parsed = /^\s*[[{"]/.test(value) && value.length <= MOST_CHARS ? parseJson(value) : undefined;
      if (parsed === undefined) add(value);
      else read(parsed, depth + 1);
    } else if (typeof value === 'number') add(String(value));
    else if (Array.isArray(value)) for (const one of value.slice(0, MOST_VALUES)) read(one, depth + 1);
    else if (isObject(value)) add(textsIn(value, depth).join(' '));
  };
  const textsIn = (value: unknown, depth: number): string[] => {
    if (++values > MOST_VALUES || depth > MOST_DEPTH) return [];
    if (typeof value === 'string') return [value.replaceAll('\n', ' ')];
    return isObject(value) ? membersOf(value).flatMap(([, one]) => textsIn(one, depth + 1)) : [];
  };
  for (const value of named) read(value, 0);
  if (phrases.size > 0 || !isObject(given)) return [...phrases];
  for (const [name, value] of membersOf(given)) if (!isOther(name)) read(value, 0);
  return [...phrases];
}

/** Returns the first members of an object, which may have millions. */
function membersOf(of: Readonly<Record<string, unknown>>): [string, unknown][] {
  const members: [string, unknown][] = [];
  for (const name in of) {
    if (members.length === MOST_VALUES) break;
    members.push([name, of[name]]);
  }
  return members;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns how many tools a search finds where nothing else is said: five for one query, two for each further one. */
export function usualFound(queries: number): number {
  return Math.min(3 + 2 * queries, MOST_FOUND);
}

const MOST_FOUND = 12;
