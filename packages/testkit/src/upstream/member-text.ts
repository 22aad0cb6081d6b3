/** One token of JSON: a string, a number or word, or a punctuation mark. White space stands between tokens. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s",:[\]{}]+|[,:[\]{}]/gs;
const NOWHERE = -1;

/**
 * The text of a member of a JSON object as it was sent, for assertions about what a parser would lose: the order of keys,
 * `1.0`, white space. Of equal names the last counts, as it does for parsers. Undefined when there is none.
 *
 * `text` is known to be a JSON object. A name that was written with escapes is found as well.
 */
export function memberText(text: string, name: string): string | undefined {
  let found: string | undefined;
  let key: unknown;
  let depth = 0;
  let start = NOWHERE;
  let end = NOWHERE;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (depth === 0) {
      // The object's own brace; behind its end there is nothing.
      depth = 1;
    } else if (depth === 1 && token === ':') {
      key = JSON.parse(text.slice(start, end));
      start = NOWHERE;
    } else if (depth === 1 && (token === ',' || token === '}')) {
      if (key === name) found = text.slice(start, end);
      start = NOWHERE;
    } else {
      if (start === NOWHERE) start = index;
      end = index + token.length;
      if (token === '{' || token === '[') depth += 1;
      if (token === '}' || token === ']') depth -= 1;
    }
  }
  return found;
}
