import { REGISTRY_LIMITS } from '../limits.ts';

/**
 * Normalizes tags: lower case, trimmed, one hyphen for each run of white space, only the characters `a-z0-9-_.`, at most
 * 64 of them. Drops empty and repeated tags; keeps the first 20 in their order.
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

/** Normalizes one tag; empty when nothing is left. */
export function normalizeTag(tag: string): string {
  return tag
    .toLowerCase()
    .trim()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9\-_.]/g, '')
    .slice(0, REGISTRY_LIMITS.tagChars);
}
