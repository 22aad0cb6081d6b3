const PUNCTUATION = '{}[],:';
const SPACE = ' \t\r\n';
const ENDS_WORD = /[\s",:[\]{}]/;
const NOWHERE = -1;

/**
 * Returns the text of a member of a JSON object as it was sent, for assertions about details that a parser
 * loses: the order of keys, `1.0`, white space. Of duplicate names the last one counts, as for parsers.
 * Undefined if the member is missing.
 *
 * `text` must be a valid JSON object. Names written with escapes are found as well.
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
      // The object's own brace; nothing follows its end.
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

/**
 * Finds the start and end of each token. A regular expression would fail on a string of millions of escapes.
 */
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

/** Returns the position after the closing quote; `from` is the position after the opening one. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== NOWHERE; quote = text.indexOf('"', quote + 1)) {
    let escapes = quote;
    while (escapes > from && text[escapes - 1] === '\\') escapes -= 1;
    if ((quote - escapes) % 2 === 0) return quote + 1;
  }
  return text.length + 1;
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && !ENDS_WORD.test(text.charAt(at))) at += 1;
  return at;
}
