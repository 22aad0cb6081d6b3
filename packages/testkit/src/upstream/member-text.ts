const PUNCTUATION = '{}[],:';
const SPACE = ' \t\r\n';
const ENDS_WORD = /[\s",:[\]{}]/;
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
  for (const [from, to] of tokensOf(text)) {
    const token = text[from];
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
      if (start === NOWHERE) start = from;
      end = to;
      if (token === '{' || token === '[') depth += 1;
      if (token === '}' || token === ']') depth -= 1;
    }
  }
  return found;
}

/** Where each token starts and ends. No pattern does this: a string of millions of escapes is too much for one. */
function* tokensOf(text: string): Generator<readonly [from: number, to: number]> {
  let at = 0;
  while (at < text.length) {
    const from = at;
    const first = text.charAt(from);
    at += 1;
    if (first === '"') at = endOfString(text, at);
    else if (SPACE.includes(first)) continue;
    else if (!PUNCTUATION.includes(first)) at = endOfWord(text, at);
    yield [from, at];
  }
}

/** Behind the closing quote. `from` is behind the opening one. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && !ENDS_WORD.test(text.charAt(at))) at += 1;
  return at;
}
