const AROUND = 30;

/** Returns where two texts part, in words, with an excerpt of both. */
export function firstDifference(expected: string, found: string): string {
  let at = 0;
  while (at < expected.length && at < found.length && expected[at] === found[at]) at += 1;
  const excerpt = (text: string) => JSON.stringify(text.slice(Math.max(0, at - AROUND), at + AROUND));
  return `from character ${at} of ${expected.length} on: expected ${excerpt(expected)}, found ${excerpt(found)}`;
}
