import { type Model, type PlannedTurn, playModel } from '@winnow/testkit';
import { needOf } from './conversations.ts';

/**
 * A model that knows the right tool for each need and calls it if it can see it.
 *
 * If it cannot, it searches once, in the user's own words, and gives up if that fails. So about as many needs
 * stay unserved as the rollout report in `shadow` predicts.
 */
export function needyModel(): Model {
  return (conversation, request) => {
    const said = conversation.turns.flatMap((turn) => (turn.role === 'user' ? [turn.text] : []));
    return playModel({ turns: said.map(turnFor) })(conversation, request);
  };
}

function turnFor(text: string): PlannedTurn {
  const need = needOf(text);
  if (!need) return { answer: 'I have no tool for that.' };
  const call = { thenCall: [{ name: need.tool, input: {} }] };
  return { steps: [{ ...call, searchFor: [need.query] }], answer: 'Done.' };
}
