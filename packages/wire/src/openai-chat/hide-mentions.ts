import { changeMembers, elementsOf, memberSpan, removeMembers, splice, valueSpan } from '../json-splice.ts';
import { mentioningMembers } from '../mentioning-members.ts';

/**
 * A chunk or a whole response without what names the search tool around its messages: probabilities of tokens become null, echoes of the
 * request go. What the model says, and an error, stay.
 */
export function hideMentions(text: string, name: string | undefined): string {
  if (name === undefined || !text.includes(name)) return text;
  const root = valueSpan(text);
  const edits = removeMembers(
    text,
    root,
    mentioningMembers(text, root, { name, kept: ['choices', 'error'] }),
  );
  const choices = memberSpan(text, root.start, 'choices');
  for (const choice of choices === undefined ? [] : elementsOf(text, choices.start)) {
    const keys = mentioningMembers(text, choice, { name, kept: ['message', 'delta'] });
    const changes = keys.map((key) => [key, key === 'logprobs' ? 'null' : undefined] as const);
    edits.push(...changeMembers(text, choice, Object.fromEntries(changes)));
  }
  return splice(text, edits);
}
