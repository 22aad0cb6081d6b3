import type { CompleteAnswer } from '../upstream/complete-answer.ts';

const FINISH_REASONS = new Map([
  ['end', 'stop'],
  ['calls', 'tool_calls'],
  ['length', 'length'],
  ['refusal', 'content_filter'],
  ['pause', 'stop'],
]);

/** Returns OpenAI's finish reason for a message. A reason that the script gives stays as it is. */
export function chatFinishReason({ stop, deviations }: CompleteAnswer): string {
  if (deviations.stopsAsText) return 'stop';
  return FINISH_REASONS.get(stop) ?? stop;
}
