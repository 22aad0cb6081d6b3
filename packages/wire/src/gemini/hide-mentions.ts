import { hideMentionsAround } from '../joining/hide-mentions.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/** A response without members around its contents that name a hidden tool, such as a message on how it ended. An error stays. */
export function hideMentions(text: string, hidden: HiddenNames): string {
  return hideMentionsAround(text, hidden, {
    kept: ['candidates', 'error'],
    within: ['candidates', ['content']],
  });
}
