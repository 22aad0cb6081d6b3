import type { HiddenNames } from '../tools/hidden-names.ts';
import { membersOf, type Span, textOf } from './json-splice.ts';

/**
 * Returns the keys of an object's members whose JSON contains a hidden tool's name, except for the keys in
 * `kept`.
 */
export function mentioningMembers(
  text: string,
  { start }: Span,
  { hidden, kept }: { readonly hidden: HiddenNames; readonly kept: readonly string[] },
): string[] {
  return membersOf(text, start)
    .filter(({ key, value }) => !kept.includes(key) && hidden.areIn(textOf(text, value)))
    .map(({ key }) => key);
}
