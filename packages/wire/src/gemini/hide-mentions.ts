import { hideMentionsAround } from '../joining/hide-mentions.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/**
 * Returns a response without the members around its contents that name a hidden tool, such as a message about
 * its end. An error stays.
 */
export function hideMentions(text: string, hidden: HiddenNames): string {
  return hideMentionsAround(text, hidden, {
    kept: ['candidates', 'error'],
    within: ['candidates', ['content']],
  });
}
