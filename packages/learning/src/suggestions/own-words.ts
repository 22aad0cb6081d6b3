import type { AgentEvidence, WordEvidence } from '../evidence/evidence-tally.ts';

/** The rules for words that a tool learns. */
const WORD_RULES = {
  /** Fewest conversations that used the word, in all and without any one client. */
  conversations: 3,
  withoutOne: 2,
  /** Least weight after decay. */
  weight: 1,
} as const;

/** Maximum number of words of one tool. */
const MOST_WORDS = 32;

/** Returns by tool the words that models have found it by, often enough and of more than one client. */
export function ownWordsOf({ tools }: AgentEvidence): Record<string, string[]> {
  return Object.fromEntries(
    tools.flatMap(({ name, words }) => {
      const learned = words.filter(isLearned).slice(0, MOST_WORDS);
      return learned.length === 0 ? [] : [[name, learned.map(({ word }) => word)]];
    }),
  );
}

function isLearned({ support, weight }: WordEvidence): boolean {
  const { conversations, withoutOne } = support;
  if (conversations < WORD_RULES.conversations || weight < WORD_RULES.weight) return false;
  return withoutOne.conversations >= WORD_RULES.withoutOne;
}
