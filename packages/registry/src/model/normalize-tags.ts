import { REGISTRY_LIMITS } from '../limits.ts';

/**
 * Tags in their one spelling: lower case, trimmed, runs of white space as one hyphen, no characters but `a-z0-9-_.`, at
 * most 64 characters. Empty ones and repetitions are dropped; the first 20 stay, in the order in which they were first named.
 */
export function normalizeTags(tags: readonly string[]): readonly string[] {
  const kept = new Set<string>();
  for (const tag of tags) {
    if (kept.size === REGISTRY_LIMITS.tags) break;
    const normal = normalizeTag(tag);
    if (normal !== '') kept.add(normal);
  }
  return [...kept];
}

/** One tag in its one spelling; empty when nothing is left of it. */
export function normalizeTag(tag: string): string {
  return tag
    .toLowerCase()
    .trim()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9\-_.]/g, '')
    .slice(0, REGISTRY_LIMITS.tagChars);
}
