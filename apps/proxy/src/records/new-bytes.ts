import type { RequestView } from '@winnow/wire';

/**
 * Returns the approximate bytes of the prompt that no earlier request of its conversation had: the history
 * from the model's last turn on, or else the user's opening messages. No cache can hold them.
 */
export function newBytes({ turns, history, openingTexts, spans }: RequestView): number {
  const turn = turns.at(-1);
  if (turn === undefined && openingTexts.length > 0) {
    return openingTexts.reduce((sum, text) => sum + text.length, 0);
  }
  const first = spans.history[turn?.position ?? 0];
  const last = spans.history[history.length - 1];
  return first && last ? last.end - first.start : 0;
}
