/** Whether a name fits a pattern: `*` stands for any characters, `?` for one; everything else for itself, case as written. */
export function matchesName(pattern: string, name: string): boolean {
  let [at, inPattern] = [0, 0];
  // Where to go on after the last `*`, should what follows it not fit: one more character is its.
  let [retryAt, retryInPattern] = [0, -1];
  while (at < name.length) {
    const expected = pattern[inPattern];
    if (expected === '*') {
      inPattern += 1;
      [retryAt, retryInPattern] = [at, inPattern];
    } else if (expected === '?' || expected === name[at]) {
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

/** Names, each once, by the patterns that they fit: for every pattern how many. A pattern that is there twice is one. */
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

/** A test for names that fit any of the patterns. */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns);
  const globs = [...exact].filter(isGlob);
  return (name) => exact.has(name) || globs.some((glob) => matchesName(glob, name));
}

function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}
