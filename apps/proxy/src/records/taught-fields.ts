import type { ExchangeRecord } from '@winnow/core';
import type { ExchangeSoFar } from './timeline.ts';

/**
 * Returns the words that searches taught the tools that were then called; of several searches for one tool, the
 * first counts.
 */
export function taughtFields({ facts }: ExchangeSoFar): Pick<ExchangeRecord, 'taught'> {
  const called = facts.findLast(({ fact }) => fact.kind === 'called')?.fact;
  if (called?.kind !== 'called') return {};
  const words = new Map<string, readonly string[]>();
  for (const { fact } of facts) {
    if (fact.kind !== 'searched') continue;
    for (const tool of fact.taught ?? []) if (!words.has(tool.name)) words.set(tool.name, tool.words);
  }
  const taught = called.called.flatMap((tool) => {
    const own = words.get(tool);
    return own === undefined ? [] : [{ tool, words: [...own] }];
  });
  return taught.length === 0 ? {} : { taught };
}
