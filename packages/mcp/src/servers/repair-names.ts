import { hash } from 'node:crypto';
import { isToolName, REGISTRY_LIMITS } from '@winnow/registry';

const DIGITS = [8, 16, 64] as const;

/**
 * Returns names that the registry accepts for a server's own tool names: other characters become `_`, and
 * longer names are cut and end in eight digits of a digest. If several names become equal, the first by code
 * point keeps it and the others get digits.
 *
 * Gives the stored name of each own name; own names must each be there once. The same set gives the same names,
 * in any order.
 */
export function repairNames(ownNames: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...ownNames].sort(byCodePoint);
  const stored = new Map<string, string>();
  const taken = new Set<string>();
  const crowded: string[] = [];
  for (const own of sorted) {
    const plain = plainName(own);
    if (plain === undefined) stored.set(own, take(own, taken));
    else if (taken.has(plain)) crowded.push(own);
    else {
      taken.add(plain);
      stored.set(own, plain);
    }
  }
  for (const own of crowded) stored.set(own, take(own, taken));
  return stored;
}

/** The name with other characters as `_`, or undefined when it is too long. */
function plainName(own: string): string | undefined {
  const plain = replaceOthers(own);
  return isToolName(plain) ? plain : undefined;
}

/** One `_` for each character, not for each half of it. */
function replaceOthers(own: string): string {
  return own.replace(/[^A-Za-z0-9_.-]/gu, '_');
}

function take(own: string, taken: Set<string>): string {
  const digest = hash('sha256', own);
  for (const digits of DIGITS) {
    const start = replaceOthers(own).slice(0, REGISTRY_LIMITS.nameChars - digits - 1);
    const name = `${start}_${digest.slice(0, digits)}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
  // Only two texts with the same SHA-256 digest lead here.
  throw new Error('no name is left');
}

/** Not by code unit, where a surrogate pair sorts before U+E000. */
function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
