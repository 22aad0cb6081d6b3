import type { CompleteAnswer } from '../upstream/complete-answer.ts';

const STOP_REASONS = new Map([
  ['end', 'end_turn'],
  ['calls', 'tool_use'],
  ['length', 'max_tokens'],
  ['refusal', 'refusal'],
  ['pause', 'pause_turn'],
]);

/** Anthropic's word for why the message ended; a word of the script's own stays. */
export function messagesStopReason({ stop, deviations }: CompleteAnswer): string {
  if (deviations.stopsAsText) return 'end_turn';
  return STOP_REASONS.get(stop) ?? stop;
}
