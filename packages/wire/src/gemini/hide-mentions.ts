import { elementsOf, memberSpan, removeMembers, splice, valueSpan } from '../json-splice.ts';
import { mentioningMembers } from '../mentioning-members.ts';

/** A response without what names the search tool around its contents, such as a message on how it ended. What the model says, and an error, stay. */
export function hideMentions(text: string, name: string | undefined): string {
  if (name === undefined || !text.includes(name)) return text;
  const root = valueSpan(text);
  const rules = { name, kept: ['candidates', 'error'] };
  const edits = removeMembers(text, root, mentioningMembers(text, root, rules));
  const candidates = memberSpan(text, root.start, 'candidates');
  for (const candidate of candidates === undefined ? [] : elementsOf(text, candidates.start)) {
    const keys = mentioningMembers(text, candidate, { name, kept: ['content'] });
    edits.push(...removeMembers(text, candidate, keys));
  }
  return splice(text, edits);
}
