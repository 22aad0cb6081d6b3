import type { HiddenNames } from '../tools/hidden-names.ts';
import { membersOf, type Span, textOf } from './json-splice.ts';

/** The keys of an object's members whose JSON has a hidden tool's name in it, but for the keys that are kept whatever they say. */
export function mentioningMembers(
  text: string,
  { start }: Span,
  { hidden, kept }: { readonly hidden: HiddenNames; readonly kept: readonly string[] },
): string[] {
  return membersOf(text, start)
    .filter(({ key, value }) => !kept.includes(key) && hidden.areIn(textOf(text, value)))
    .map(({ key }) => key);
}
