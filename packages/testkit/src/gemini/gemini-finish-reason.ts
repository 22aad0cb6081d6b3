import type { CompleteAnswer } from '../upstream/complete-answer.ts';

const FINISH_REASONS = new Map([
  ['end', 'STOP'],
  ['calls', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['refusal', 'SAFETY'],
  ['pause', 'STOP'],
]);

/** Gemini's word for why the answer ended, the same for calls as for words; a word of the script's own stays. */
export function geminiFinishReason({ stop }: CompleteAnswer): string {
  return FINISH_REASONS.get(stop) ?? stop;
}
