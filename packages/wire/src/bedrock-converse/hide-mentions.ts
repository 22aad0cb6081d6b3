import { hideMentionsAround } from '../joining/hide-mentions.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/** Members that hold what the model says, or nothing but numbers. */
const KEPT = ['output', 'start', 'delta', 'usage', 'metrics', 'stopReason', 'contentBlockIndex', 'role'];

/** A whole response, or an event's data, without traces and additional fields of a model that name a hidden tool. */
export function hideMentions(text: string, hidden: HiddenNames): string {
  return hideMentionsAround(text, hidden, { kept: KEPT });
}
