import { LIMITS } from '@winnow/contract';

/**
 * What ranking reads of a message: all of it, or of a very long one, where people say what they want, its beginning and its end. What lies
 * between is what they have pasted.
 */
export function endsOfMessage(message: string): string {
  if (message.length <= LIMITS.keywordPatternChars) return message;
  const half = LIMITS.keywordPatternChars / 2 - 1;
  return `${message.slice(0, half)}\n${message.slice(-half)}`;
}
