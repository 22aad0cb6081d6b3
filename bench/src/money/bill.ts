import type { MoneyMode } from './cell.ts';
import type { ReplayedConversation } from './replay.ts';

/** Prices relative to plain input. */
interface MoneyRates {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite?: number;
  readonly output: number;
}

/** Returns Anthropic's ratios for Messages and OpenAI's for its formats, with this price of cached input. */
export function ratesOf({ client }: Pick<MoneyMode, 'client'>, cachedInput: number): MoneyRates {
  return client === 'messages'
    ? { input: 1, cachedInput, cacheWrite: 1.25, output: 5 }
    : { input: 1, cachedInput, output: 6 };
}

/** The parts of a bill, in tokens of plain input. */
export interface BillParts {
  /** Input read from the cache. */
  readonly read: number;
  /** All other input, whether written to the cache or not. */
  readonly fresh: number;
  readonly output: number;
}

/** Returns the bill of one conversation, in tokens of plain input. */
export function billOf(conversation: ReplayedConversation, rates: MoneyRates): number {
  const { read, fresh, output } = partsOf(conversation, rates);
  return read + fresh + output;
}

/** Returns the parts of a conversation's bill. */
export function partsOf(
  { usages }: ReplayedConversation,
  { input, cachedInput, cacheWrite = input, output }: MoneyRates,
): BillParts {
  const parts = { read: 0, fresh: 0, output: 0 };
  for (const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens } of usages) {
    parts.read += cacheReadTokens * cachedInput;
    parts.fresh += inputTokens * input + cacheWriteTokens * cacheWrite;
    parts.output += outputTokens * output;
  }
  return parts;
}
