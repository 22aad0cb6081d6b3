import { hash } from 'node:crypto';
import { matchesGlob } from './matches-glob.ts';

/** Which namespaces somebody may see, search and change. */
export interface Sight {
  /** Whether a namespace, or the lack of one as the empty text, is in sight. */
  sees(namespace: string): boolean;
  /** Tells different sights apart: part of what cursors and kept results are bound to. */
  readonly key: string;
}

/** Sees everything. */
export const SEES_ALL: Sight = { sees: () => true, key: '' };

/**
 * The sight of somebody who is limited to namespaces. `*` in a glob stands for any characters and `?` for one; tools
 * without a namespace are in sight of `*` alone. No globs see nothing.
 */
export function sightOf(globs: readonly string[]): Sight {
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

/** What both see. */
export function intersectSights(left: Sight, right: Sight): Sight {
  if (left.key === '') return right;
  if (right.key === '') return left;
  return {
    sees: (namespace) => left.sees(namespace) && right.sees(namespace),
    key: `${left.key}&${right.key}`,
  };
}

/** Most namespaces whose sight is remembered. */
const MAX_KNOWN = 10_000;
