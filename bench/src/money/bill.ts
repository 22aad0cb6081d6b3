import type { Usage } from '@winnow/testkit';
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

/** Returns the bill of one conversation, in tokens of plain input. */
export function billOf({ usages }: ReplayedConversation, rates: MoneyRates): number {
  return usages.reduce((sum, usage) => sum + costOf(usage, rates), 0);
}

function costOf(usage: Usage, { input, cachedInput, cacheWrite = input, output }: MoneyRates): number {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens } = usage;
  return (
    inputTokens * input +
    cacheReadTokens * cachedInput +
    cacheWriteTokens * cacheWrite +
    outputTokens * output
  );
}
