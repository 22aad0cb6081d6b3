import { hideMentionsAround } from '../joining/hide-mentions.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/**
 * Returns a chunk or a whole response without the members around its messages that name a hidden tool. An
 * error stays.
 */
export function hideMentions(text: string, hidden: HiddenNames): string {
  return hideMentionsAround(text, hidden, {
    kept: ['choices', 'error'],
    within: ['choices', ['message', 'delta']],
    emptied: 'logprobs',
  });
}
