import type { CompleteAnswer } from '../upstream/complete-answer.ts';

const FINISH_REASONS = new Map([
  ['end', 'STOP'],
  ['calls', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['refusal', 'SAFETY'],
  ['pause', 'STOP'],
]);

/**
 * Returns Gemini's finish reason, the same for calls and text. A reason that the script gives stays as it is.
 */
export function geminiFinishReason({ stop }: CompleteAnswer): string {
  return FINISH_REASONS.get(stop) ?? stop;
}
