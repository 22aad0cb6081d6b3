import type { StoreUse } from '../records/exchange-fact.ts';
import { preloadByMeaning } from '../search/preload-by-meaning.ts';
import type { Search, Searches } from '../search/search.ts';
import type { Preloaded } from '../sessions/preloaded.ts';
import type { Planner } from '../strategies/plan-request.ts';
import type { Policy } from '../strategies/policy.ts';
import type { PreloadQuestion } from '../strategies/preload.ts';
import { preloadSafely } from '../strategies/preload-safely.ts';
import { type ChoosableRequest, isFirstOf } from './choose-deferral.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import { type ExchangeSession, NO_USE, type SessionReading, sumOf } from './exchange-session.ts';

/** Context for choosing the tools to preload. */
export interface PreloadContext extends Planner, Pick<Policy, 'settings' | 'preload'> {
  readonly searches: Searches;
  readonly effects: Pick<ExchangeEffects, 'every'>;
}

/** The tools that are preloaded, and all use of the session store so far. */
export interface Preloading extends Preloaded {
  readonly store: StoreUse;
}

/** A session, and its stored notes. */
interface OpenSession {
  readonly session: ExchangeSession;
  readonly read: Pick<SessionReading, 'preloaded' | 'store'>;
}

/**
 * Chooses the tools that a conversation shows from its start. Never rejects.
 *
 * If the provider of searches has an embedder, the first request asks it, within the budget. Its choice holds only
 * once it is stored under the conversation's opening, so that a slow or failing embedder changes nothing later.
 * Otherwise words decide, in every turn alike.
 */
export async function choosePreloaded(
  request: ChoosableRequest,
  { session, read }: OpenSession,
  context: PreloadContext,
): Promise<Preloading> {
  const { store } = read;
  // A conversation that continues from a response has got its preloaded tools there.
  if (request.known !== undefined) return { names: [], store };
  const most = context.settings['tools.preload'];
  if (read.preloaded !== undefined) return { ...limited(read.preloaded, most), store };
  const chosen = await chooseAnew(request, session, context);
  const { by, names } = limited(chosen.preloaded, most);
  session.keepPreloaded(names);
  return { by, names, store: sumOf([store, chosen.store]) };
}

function limited({ names, by }: Preloaded, most: number): Preloaded {
  return { names: names.slice(0, most), by };
}

async function chooseAnew(
  request: ChoosableRequest,
  session: ExchangeSession,
  context: PreloadContext,
): Promise<{ readonly preloaded: Preloaded; readonly store: StoreUse }> {
  const { view } = request;
  const { searches, strategy, preload } = context;
  const provider = strategy.search;
  const hasMeaning = provider !== undefined && searches.hasMeaning?.(provider) === true;
  const question = hasMeaning ? preload.questionOf(view) : undefined;
  const byWords = async (): Promise<Preloaded> => ({
    names: await preloadSafely(view, context),
    by: question && 'words',
  });
  if (!hasMeaning || question === undefined || !isFirstOf(request))
    return { preloaded: await byWords(), store: NO_USE };
  const byMeaning = async (): Promise<Preloaded> => {
    const names = await findInTime(request, question, searches[provider], context);
    return names === undefined ? byWords() : { names, by: 'meaning' };
  };
  return session.agreeOnPreloaded(byMeaning, byWords);
}

/**
 * Returns the names that a search by meaning finds within the budget, otherwise undefined. A late search
 * continues, so the next conversation finds the tools' vectors.
 */
function findInTime(
  { exchange: { head, span, signal }, view }: ChoosableRequest,
  question: PreloadQuestion,
  search: Search,
  { settings, effects, onDefect }: PreloadContext,
): Promise<readonly string[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<readonly string[] | undefined>();
  const stop = effects.every(settings['embedder.budget'], () => resolve(undefined));
  const about = { requestId: head.requestId, span, signal: signal.toAbortSignal() };
  preloadByMeaning(view, question, search, about).then(resolve, (error: unknown) => {
    onDefect(error);
    resolve(undefined);
  });
  return promise.finally(stop);
}
