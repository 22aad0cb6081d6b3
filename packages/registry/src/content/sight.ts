import { hash } from 'node:crypto';

/** The namespaces that a caller may see, search and change. */
export interface Sight {
  /** Whether a namespace is in sight; the empty text stands for no namespace. */
  sees(namespace: string): boolean;
  /** Identifies the sight; cursors and kept results are bound to it. */
  readonly key: string;
}

/** The sight of all namespaces. */
export const SEES_ALL: Sight = { sees: () => true, key: '' };

/**
 * Creates a sight limited to namespaces. In a glob, `*` stands for any characters and `?` for one. Only `*` includes
 * tools without a namespace. Without globs, nothing is in sight.
 */
export function sightOf(globs: readonly string[]): Sight {
  if (globs.includes('*')) return SEES_ALL;
  const sorted = [...new Set(globs)].sort();
  const known = new Map<string, boolean>();
  return {
    key: hash('sha256', JSON.stringify(sorted)).slice(0, 16),
    sees(namespace) {
      const seen = known.get(namespace) ?? sorted.some((glob) => matchesGlob(glob, namespace));
      if (known.size < MAX_KNOWN) known.set(namespace, seen);
      return seen;
    },
  };
}

/** Returns the intersection of two sights. */
export function intersectSights(left: Sight, right: Sight): Sight {
  if (left.key === '') return right;
  if (right.key === '') return left;
  return {
    sees: (namespace) => left.sees(namespace) && right.sees(namespace),
    key: `${left.key}&${right.key}`,
  };
}

/** Most cached namespaces of one sight. */
const MAX_KNOWN = 10_000;

/** Whether a glob matches the whole text: `*` stands for any characters, `?` for one. Takes O(glob × text) time. */
export function matchesGlob(glob: string, text: string): boolean {
  let [at, place] = [0, 0];
  // The position of the last star, and the end of the text that it covers so far.
  let [star, taken] = [-1, 0];
  while (place < text.length) {
    if (glob[at] === '*') {
      [star, taken] = [at, place];
      at++;
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[place])) {
      at++;
      place++;
    } else if (star >= 0) {
      taken++;
      [at, place] = [star + 1, taken];
    } else {
      return false;
    }
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}
