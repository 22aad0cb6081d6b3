import type { ModelPlan, PlannedCall } from '@winnow/testkit';
import { CATALOGUE, type CatalogueTool } from './catalogue.ts';

/** The tools of the conversation's clients. */
export const TOOLS: readonly CatalogueTool[] = CATALOGUE.slice(0, 40);

const nameOf = (position: number): string => TOOLS[position]!.name;
const call = (position: number, more: string): PlannedCall => ({
  name: nameOf(position),
  input: { text: `call ${more} — “ünïcödé”`, number: 1 },
});

/** One conversation that covers every use of a search tool, one turn each. */
export const CONVERSATION: ModelPlan = {
  turns: [
    { steps: [{ searchFor: [nameOf(3)], thenCall: [call(3, 'found')] }] },
    {
      steps: [
        { searchFor: ['zzqx unfindable', nameOf(20)], thenCall: [call(20, 'found at the second try')] },
      ],
    },
    {
      steps: [
        { searchFor: [[nameOf(7), nameOf(30)]], thenCall: [call(7, 'one of two'), call(30, 'the other')] },
      ],
    },
    {
      steps: [
        { say: 'Both at once.', searchBeside: [nameOf(12)], thenCall: [call(3, 'with a search')] },
        { thenCall: [call(12, 'found with it')] },
      ],
    },
    {
      steps: [
        { searchBeside: [nameOf(33)], besidePosition: 'before', thenCall: [call(20, 'behind a search')] },
        { thenCall: [call(33, 'found before')] },
      ],
    },
    { steps: [{ thenCall: [call(3, 'known'), call(7, 'known as well')] }] },
    { answer: 'Nothing needs to be called for this — done ✓.' },
    {
      steps: [
        {
          searchFor: [nameOf(4)],
          keepsSearching: 'until-all-is-loaded',
          thenCall: [call(38, 'after the limit')],
        },
      ],
    },
    { steps: [{ thenCall: [call(12, 'loaded long ago'), call(38, 'again')] }] },
  ],
};

/** One message for each turn. */
export const USER_MESSAGES: readonly string[] = CONVERSATION.turns.map(
  (_, turn) => `Message ${turn + 1}: do it.`,
);

/**
 * A conversation whose every turn finds its own tools, so that it can continue after earlier turns are lost.
 */
export const SEARCHING_CONVERSATION: ModelPlan = {
  turns: [
    ...CONVERSATION.turns.slice(0, 3),
    { answer: 'Nothing needs to be called for this — done ✓.' },
    { steps: [{ searchFor: [nameOf(33)], thenCall: [call(33, 'found at last')] }] },
  ],
};
