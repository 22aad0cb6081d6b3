import { membersOf, type Span, textOf } from './json-splice.ts';

/** The keys of an object's members whose JSON has that name in it, but for the keys that are kept whatever they say. */
export function mentioningMembers(
  text: string,
  { start }: Span,
  { name, kept }: { readonly name: string; readonly kept: readonly string[] },
): string[] {
  return membersOf(text, start)
    .filter(({ key, value }) => !kept.includes(key) && textOf(text, value).includes(name))
    .map(({ key }) => key);
}
