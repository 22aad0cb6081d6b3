import type { CompleteAnswer } from '../upstream/complete-answer.ts';

const FINISH_REASONS = new Map([
  ['end', 'stop'],
  ['calls', 'tool_calls'],
  ['length', 'length'],
  ['refusal', 'content_filter'],
  ['pause', 'stop'],
]);

/** OpenAI's word for why the message ended; a word of the script's own stays. */
export function chatFinishReason({ stop, deviations }: CompleteAnswer): string {
  if (deviations.stopsAsText) return 'stop';
  return FINISH_REASONS.get(stop) ?? stop;
}
