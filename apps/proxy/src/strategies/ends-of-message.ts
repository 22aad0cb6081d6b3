import { LIMITS } from '@winnow/core';

/**
 * Returns the part of a message that is ranked: all of it, or the beginning and the end of a very long one,
 * where people state their request. Pasted text lies between.
 */
export function endsOfMessage(message: string): string {
  if (message.length <= LIMITS.keywordPatternChars) return message;
  const half = LIMITS.keywordPatternChars / 2 - 1;
  return `${message.slice(0, half)}\n${message.slice(-half)}`;
}
