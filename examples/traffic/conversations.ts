import { createRandom } from '@winnow/testkit';
import { NEEDS, type Need } from './needs.ts';

/** The user's messages in one conversation, one need each. */
export type Conversation = readonly string[];

const LONGEST = 4;

/** Generates conversations from a seed. Each has its own number, so that no two begin with the same words. */
export function makeConversations(count: number, seed: number): Conversation[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, number) =>
    random
      .sample(NEEDS, random.between(1, LONGEST))
      .map(({ query }, place) => (place === 0 ? `#${number + 1} ${query}` : query)),
  );
}

/** Returns the need that a message expresses, or undefined. */
export function needOf(text: string): Need | undefined {
  const query = text.replace(/^#\d+ /, '');
  return NEEDS.find((need) => need.query === query);
}
