import type { ResponseAlias, StoredResponses } from '../format/stored-responses.ts';
import type { Plan, RequestView, Round } from '../format/view.ts';
import { keepResults } from '../turns/kept-result.ts';
import { idsOfRounds, namesToDeclare, routesById, storedRoundOf } from '../turns/stored-by-id.ts';
import type { PendingResult } from './edit-request.ts';
import { textOrNone } from './read-steps.ts';
import { showStored } from './show-stored.ts';

/** Interactions that Google keeps, unless `store` is false. */
export const storedInteractions: StoredResponses = {
  previousId: ({ body }) => textOrNone(body.previous_interaction_id),
  idOf: (view, turn) => (view.body.store === false ? undefined : storedRoundOf(turn)?.given),
  aliasOf,
  ...routesById(/^(?<before>.*\/interactions\/)(?<id>[^/]+)(?<behind>\/cancel)?\/?$/),
  showStored,
};

function aliasOf(
  view: RequestView,
  plan: Plan,
  rounds: readonly Round[],
  earlier: ResponseAlias | undefined,
): ResponseAlias | undefined {
  const last = rounds.at(-1);
  const id = last && storedInteractions.idOf(view, last.turn);
  if (last === undefined || id === undefined) return undefined;
  const searched = new Map(last.turn.searches.map((search) => [search.id, search.name]));
  return {
    id,
    rounds: idsOfRounds(rounds),
    ...(plan.offered && { offered: plan.offered }),
    names: namesToDeclare(rounds, earlier, new Set(plan.defer)),
    results: keepResults(last).map((result) =>
      JSON.stringify({ ...result, name: searched.get(result.callId) } satisfies PendingResult),
    ),
  };
}
