import {
  changeMembers,
  elementsOf,
  memberSpan,
  removeMembers,
  splice,
  valueSpan,
} from '../json/json-splice.ts';
import { mentioningMembers } from '../json/mentioning-members.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/**
 * A chunk or a whole response without what names a hidden tool around its messages: probabilities of tokens become null, echoes of the
 * request go. What the model says, and an error, stay.
 */
export function hideMentions(text: string, hidden: HiddenNames): string {
  if (!hidden.areIn(text)) return text;
  const root = valueSpan(text);
  const edits = removeMembers(
    text,
    root,
    mentioningMembers(text, root, { hidden, kept: ['choices', 'error'] }),
  );
  const choices = memberSpan(text, root.start, 'choices');
  for (const choice of choices === undefined ? [] : elementsOf(text, choices.start)) {
    const keys = mentioningMembers(text, choice, { hidden, kept: ['message', 'delta'] });
    const changes = keys.map((key) => [key, key === 'logprobs' ? 'null' : undefined] as const);
    edits.push(...changeMembers(text, choice, Object.fromEntries(changes)));
  }
  return splice(text, edits);
}
