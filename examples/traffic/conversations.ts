import { createRandom } from '@winnow/testkit';
import { NEEDS, type Need } from './needs.ts';

/** What a user says in one conversation, one need after the other. */
export type Conversation = readonly string[];

const LONGEST = 4;

/** So many conversations, which the seed decides. Each has a number of its own, so that no two begin with the same words. */
export function makeConversations(count: number, seed: number): Conversation[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, number) =>
    random
      .sample(NEEDS, random.between(1, LONGEST))
      .map(({ query }, place) => (place === 0 ? `#${number + 1} ${query}` : query)),
  );
}

/** The need behind a user's words, or undefined. */
export function needOf(text: string): Need | undefined {
  const query = text.replace(/^#\d+ /, '');
  return NEEDS.find((need) => need.query === query);
}
