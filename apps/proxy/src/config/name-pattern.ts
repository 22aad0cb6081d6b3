/**
 * Whether a name matches a pattern: `*` matches any characters, `?` one, and everything else itself,
 * case-sensitively.
 */
function matchesName(pattern: string, name: string): boolean {
  return matches(pattern, name, () => true);
}

/** Whether every name that `other` matches also matches `pattern`. */
export function coversPattern(pattern: string, other: string): boolean {
  return matches(pattern, other, (character) => character !== '*');
}

/** Matches a pattern; `isOne` tells which characters `?` stands for. */
function matches(pattern: string, name: string, isOne: (character: string) => boolean): boolean {
  let [at, inPattern] = [0, 0];
  // The position to resume from after the last `*` if the rest does not match: the `*` takes one more
  // character.
  let [retryAt, retryInPattern] = [0, -1];
  while (at < name.length) {
    const expected = pattern[inPattern];
    if (expected === '*') {
      inPattern += 1;
      [retryAt, retryInPattern] = [at, inPattern];
    } else if ((expected === '?' && isOne(name[at]!)) || (expected !== '?' && expected === name[at])) {
      at += 1;
      inPattern += 1;
    } else if (retryInPattern >= 0) {
      retryAt += 1;
      [at, inPattern] = [retryAt, retryInPattern];
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === '*') inPattern += 1;
  return inPattern === pattern.length;
}

/** Counts the distinct names that match each pattern. A repeated pattern counts once. */
export function countMatches(patterns: readonly string[], names: Iterable<string>): Map<string, number> {
  const counts = new Map(patterns.map((pattern) => [pattern, 0]));
  const globs = [...counts.keys()].filter(isGlob);
  const add = (pattern: string) => counts.set(pattern, counts.get(pattern)! + 1);
  for (const name of new Set(names)) {
    if (counts.has(name)) add(name);
    for (const glob of globs) if (glob !== name && matchesName(glob, name)) add(glob);
  }
  return counts;
}

/** Returns a test for names that match any of the patterns. */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns);
  const globs = [...exact].filter(isGlob);
  return (name) => exact.has(name) || globs.some((glob) => matchesName(glob, name));
}

function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}
