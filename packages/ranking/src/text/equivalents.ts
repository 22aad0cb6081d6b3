import { stem } from './stem.ts';
import { ABBREVIATIONS, KINDS, SYNONYM_GROUPS } from './synonyms.ts';

/** Synonyms of each stem. */
const SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = tableOf(SYNONYM_GROUPS);

/** Stems of the categories that a stem belongs to. */
const KINDS_OF: ReadonlyMap<string, ReadonlySet<string>> = kindsByMember();

/** Long forms of each short form's stem; and the reverse for long forms of one word. */
const FORMS: ReadonlyMap<string, readonly string[]> = formsOf();

/** All equivalents of one stem. */
export interface Equivalents {
  readonly forms: readonly string[];
  readonly synonyms: readonly string[];
  readonly kinds: readonly string[];
}

const ALL_EQUIVALENTS: ReadonlyMap<string, Equivalents> = new Map(
  [...new Set([...FORMS.keys(), ...SYNONYMS.keys(), ...KINDS_OF.keys()])].map((one) => [
    one,
    {
      forms: FORMS.get(one) ?? [],
      synonyms: [...(SYNONYMS.get(one) ?? [])],
      kinds: [...(KINDS_OF.get(one) ?? [])],
    },
  ]),
);

/** Returns the equivalents of a stem; undefined for most. */
export function equivalentsOf(one: string): Equivalents | undefined {
  return ALL_EQUIVALENTS.get(one);
}

/** Short forms by the joined stems of the words they abbreviate. */
export const SHORT_FORMS: ReadonlyMap<string, string> = new Map(
  ABBREVIATIONS.filter(({ long }) => long.length > 1).map(({ short, long }) => [
    long.map(stem).join(''),
    stem(short),
  ]),
);

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

function formsOf(): Map<string, string[]> {
  const forms = new Map<string, string[]>();
  const add = (one: string, other: string) => forms.set(one, [...(forms.get(one) ?? []), other]);
  for (const { short, long } of ABBREVIATIONS) {
    for (const word of long) add(stem(short), stem(word));
    if (long.length === 1) add(stem(long[0]!), stem(short));
  }
  return forms;
}

function kindsByMember(): Map<string, Set<string>> {
  const table = new Map<string, Set<string>>();
  for (const { kinds, members } of KINDS) {
    for (const member of members.map(stem)) {
      const known = table.get(member) ?? new Set();
      table.set(member, known);
      for (const kind of kinds.map(stem)) if (kind !== member) known.add(kind);
    }
  }
  return table;
}
