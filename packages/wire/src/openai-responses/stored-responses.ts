import type { ResponseAlias, StoredResponses } from '../format/stored-responses.ts';
import type { Plan, RequestView, Round } from '../format/view.ts';
import { keepResults } from '../turns/kept-result.ts';
import { idsOfRounds, namesToDeclare, routesById, storedRoundOf } from '../turns/stored-by-id.ts';
import { textOrNone } from './read-items.ts';
import { showStored } from './show-stored.ts';
import { nativeSearches } from './write-results.ts';

/** Responses that OpenAI keeps, for 30 days, unless `store` is false. */
export const storedResponses: StoredResponses = {
  previousId: ({ body }) => textOrNone(body.previous_response_id),
  idOf: (view, turn) => (view.body.store === false ? undefined : storedRoundOf(turn)?.given),
  aliasOf,
  ...routesById(/^(?<before>.*\/responses\/)(?<id>[^/]+)(?<behind>\/cancel|\/input_items)?\/?$/, [
    ['GET /input_items', 'input_items'],
  ]),
  showStored,
};

function aliasOf(
  view: RequestView,
  plan: Plan,
  rounds: readonly Round[],
  earlier: ResponseAlias | undefined,
): ResponseAlias | undefined {
  const last = rounds.at(-1);
  const id = last && storedResponses.idOf(view, last.turn);
  if (last === undefined || id === undefined) return undefined;
  const native = nativeSearches(last.turn.message);
  return {
    id,
    rounds: idsOfRounds(rounds),
    ...(plan.offered && { offered: plan.offered }),
    names: namesToDeclare(rounds, earlier, new Set(plan.loadMode === 'swap' ? plan.defer : [])),
    results: keepResults(last).map((result) =>
      JSON.stringify({ ...result, isNative: native.has(result.callId) }),
    ),
  };
}
