import type { RequestAddress, ResponseAlias, StoredRequest, StoredResponses } from '../format.ts';
import { foundNames, keepResults } from '../kept-result.ts';
import type { Plan, RequestView, Round, Turn } from '../view.ts';
import type { PendingResult } from './edit-request.ts';
import { textOrNone } from './read-steps.ts';
import type { RoundState } from './round-reader.ts';
import { showStored } from './show-stored.ts';

/** Interactions that Google keeps, unless `store` is false. */
export const storedInteractions: StoredResponses = {
  previousId: ({ body }) => textOrNone(body.previous_interaction_id),
  idOf: (view, turn) => (view.body.store === false ? undefined : stateOf(turn)?.given),
  aliasOf,
  matchRoute,
  targetsOf,
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
  const deferred = new Set(plan.defer);
  // What the model called must be declared the next time, when the history that shows it stays with the provider.
  const called = rounds.flatMap(({ turn }) => turn.realCalls.map(({ name }) => name));
  const names = [
    ...(earlier?.names ?? []),
    ...foundNames(rounds),
    ...called.filter((name) => deferred.has(name)),
  ];
  const searched = new Map(last.turn.searches.map((search) => [search.id, search.name]));
  return {
    id,
    rounds: rounds.flatMap(({ turn }) => stateOf(turn)?.id ?? []),
    ...(plan.offered && { offered: plan.offered }),
    names: [...new Set(names)],
    results: keepResults(last).map((result) =>
      JSON.stringify({ ...result, name: searched.get(result.callId) } satisfies PendingResult),
    ),
  };
}

function stateOf({ state }: Turn): RoundState | undefined {
  return state as RoundState | undefined;
}

const BY_ID = /^(?<before>.*\/interactions\/)(?<id>[^/]+)(?<behind>\/cancel)?\/?$/;

function matchRoute(method: string, { path, query }: RequestAddress): StoredRequest | undefined {
  const { before = '', id = '', behind = '' } = BY_ID.exec(path)?.groups ?? {};
  const action = actionOf(method, behind);
  if (id === '' || action === undefined) return undefined;
  const isStream = action === 'get' && new URLSearchParams(query).get('stream') === 'true';
  return { id: decoded(id), action, around: [before, behind], query, isStream };
}

function actionOf(method: string, behind: string): StoredRequest['action'] | undefined {
  if (behind === '/cancel') return method === 'POST' ? 'cancel' : undefined;
  if (method === 'GET') return 'get';
  return method === 'DELETE' ? 'delete' : undefined;
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** What is deleted is gone with every round of it. */
function targetsOf({ action, around: [before, behind], query }: StoredRequest, { rounds }: ResponseAlias) {
  const ids = action === 'delete' ? rounds : rounds.slice(-1);
  return ids.map((id) => ({ path: `${before}${encodeURIComponent(id)}${behind}`, query }));
}
