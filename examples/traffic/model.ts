import { type Model, type PlannedTurn, playModel } from '@winnow/testkit';
import { needOf } from './conversations.ts';

/**
 * A model that knows which tool each need takes, and calls it if it can see it.
 *
 * Where it cannot, it searches once, in the user's own words, and gives up when that does not find it: about as many needs go unserved as
 * the report of a rollout in `shadow` says would be missed.
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
