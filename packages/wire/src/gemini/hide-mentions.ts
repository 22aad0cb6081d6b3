import { elementsOf, memberSpan, removeMembers, splice, valueSpan } from '../json/json-splice.ts';
import { mentioningMembers } from '../json/mentioning-members.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/** A response without what names a hidden tool around its contents, such as a message on how it ended. What the model says, and an error, stay. */
export function hideMentions(text: string, hidden: HiddenNames): string {
  if (!hidden.areIn(text)) return text;
  const root = valueSpan(text);
  const rules = { hidden, kept: ['candidates', 'error'] };
  const edits = removeMembers(text, root, mentioningMembers(text, root, rules));
  const candidates = memberSpan(text, root.start, 'candidates');
  for (const candidate of candidates === undefined ? [] : elementsOf(text, candidates.start)) {
    const keys = mentioningMembers(text, candidate, { hidden, kept: ['content'] });
    edits.push(...removeMembers(text, candidate, keys));
  }
  return splice(text, edits);
}
