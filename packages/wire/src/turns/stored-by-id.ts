import type { RequestAddress } from '../format/request-reader.ts';
import type { ResponseAlias, StoredRequest, StoredResponses } from '../format/stored-responses.ts';
import type { Round, Turn } from '../format/view.ts';
import { foundNames } from './kept-result.ts';

/** What a stored round leaves for later requests. */
export interface StoredRound {
  /** The provider's id, by which a request goes on from it. */
  readonly id: string;
  /** The id that the client has of the response in which it reads. */
  readonly given: string;
}

/** What a turn's round has left; undefined where the provider keeps nothing of it. */
export function storedRoundOf({ state }: Turn): StoredRound | undefined {
  return state as StoredRound | undefined;
}

/** The ids of an exchange's responses at the provider, in order. */
export function idsOfRounds(rounds: readonly Round[]): string[] {
  return rounds.flatMap(({ turn }) => storedRoundOf(turn)?.id ?? []);
}

/**
 * Names of the tools that a request has to declare which goes on from these rounds, in load order: what the model found, and what it called of
 * `deferred`, as the history that shows it stays with the provider.
 */
export function namesToDeclare(
  rounds: readonly Round[],
  earlier: ResponseAlias | undefined,
  deferred: ReadonlySet<string>,
): string[] {
  const called = rounds.flatMap(({ turn }) => turn.realCalls.map(({ name }) => name));
  const names = [
    ...(earlier?.names ?? []),
    ...foundNames(rounds),
    ...called.filter((name) => deferred.has(name)),
  ];
  return [...new Set(names)];
}

type Action = StoredRequest['action'];

/** What a method asks for behind the id of a stored response. */
const ACTIONS: readonly (readonly [method: string, action: Action])[] = [
  ['GET', 'get'],
  ['DELETE', 'delete'],
  ['POST /cancel', 'cancel'],
];

/**
 * Requests about one stored response. `byId` finds the `id` in a path, and what stands `before` and `behind` it; `more` names what else is asked for,
 * by the method and what stands behind. What is deleted is gone with every round of it.
 */
export function routesById(
  byId: RegExp,
  more: typeof ACTIONS = [],
): Pick<StoredResponses, 'matchRoute' | 'targetsOf'> {
  const actions: ReadonlyMap<string, Action> = new Map([...ACTIONS, ...more]);
  return {
    matchRoute(method, { path, query }) {
      const { before = '', id = '', behind = '' } = byId.exec(path)?.groups ?? {};
      const action = actions.get(behind === '' ? method : `${method} ${behind}`);
      if (id === '' || action === undefined) return undefined;
      const isStream = action === 'get' && new URLSearchParams(query).get('stream') === 'true';
      return { id: decoded(id), action, around: [before, behind], query, isStream };
    },
    targetsOf({ action, around: [before, behind], query }, { rounds }): readonly RequestAddress[] {
      const ids = action === 'delete' ? rounds : rounds.slice(-1);
      return ids.map((id) => ({ path: `${before}${encodeURIComponent(id)}${behind}`, query }));
    },
  };
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
