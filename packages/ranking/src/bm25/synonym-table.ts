import { stem } from '../stem.ts';
import { SYNONYM_GROUPS } from '../synonyms.ts';

/** For each stem, the stems that may stand for it. */
export const SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = tableOf(SYNONYM_GROUPS);

function tableOf(groups: readonly (readonly string[])[]): Map<string, Set<string>> {
  const table = new Map<string, Set<string>>();
  for (const group of groups) {
    const stems = group.map(stem);
    for (const one of stems) {
      const others = table.get(one) ?? new Set();
      table.set(one, others);
      for (const other of stems) if (other !== one) others.add(other);
    }
  }
  return table;
}
