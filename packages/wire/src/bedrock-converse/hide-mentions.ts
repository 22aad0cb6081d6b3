import { hideMentionsAround } from '../joining/hide-mentions.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/** Members that hold only the model's output or numbers. */
const KEPT = ['output', 'start', 'delta', 'usage', 'metrics', 'stopReason', 'contentBlockIndex', 'role'];

/**
 * Returns a whole response, or an event's data, without traces and additional model fields that name a hidden
 * tool.
 */
export function hideMentions(text: string, hidden: HiddenNames): string {
  return hideMentionsAround(text, hidden, { kept: KEPT });
}
