import type { CompleteAnswer } from '../upstream/complete-answer.ts';

const STOP_REASONS = new Map([
  ['end', 'end_turn'],
  ['calls', 'tool_use'],
  ['length', 'max_tokens'],
  ['refusal', 'refusal'],
  ['pause', 'pause_turn'],
]);

/** Returns Anthropic's stop reason for a message. A reason that the script gives stays as it is. */
export function messagesStopReason({ stop, deviations }: CompleteAnswer): string {
  if (deviations.stopsAsText) return 'end_turn';
  return STOP_REASONS.get(stop) ?? stop;
}
