import { createRandom, type Random } from '@winnow/testkit';
import fc from 'fast-check';

/** Values in which any member, however deep, may be replaced or missing. */
export function brokenForms<Value>(values: readonly Value[]): fc.Arbitrary<Value> {
  return fc.nat().map((seed) => {
    const random = createRandom(seed);
    return breakValue(random.pick(values), random) as Value;
  });
}

const REPLACEMENTS: readonly unknown[] = [null, 7, 'text', {}, { a: 1 }, [], [null], true];

function breakValue(value: unknown, random: Random): unknown {
  if (random.chance(0.03)) return random.pick(REPLACEMENTS);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => breakValue(element, random));
  const members = Object.entries(value).filter(() => !random.chance(0.03));
  return Object.fromEntries(members.map(([key, member]) => [key, breakValue(member, random)]));
}
