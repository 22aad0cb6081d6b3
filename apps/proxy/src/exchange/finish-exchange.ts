import type { Round, Turn } from '@winnow/wire';
import type { SessionAddition } from '../sessions/session-store.ts';
import type { Unfinished } from './fall-back.ts';
import { addFindings, type Findings, resolveRound } from './resolve-round.ts';

/** Everything that was said in an exchange. */
export interface Conversation {
  /** The rounds that only searched. */
  readonly rounds: readonly Round[];
  /** The last turn, which goes to the client but for its searches. */
  readonly turn: Turn;
  readonly findings: Findings;
}

/**
 * Ends a good answer and stores what the client has not seen.
 *
 * Searches beside real calls do not hold the client up: they are answered afterwards, and the next exchange of the session waits. With a
 * store that other proxies share, the next turn may come to one of them: then the end of the answer, and nothing but the end, is held.
 */
export async function finishExchange(unfinished: Unfinished, conversation: Conversation): Promise<void> {
  const { session, answer, joiner, record } = unfinished;
  const stored = session.add(() => gather(unfinished, conversation));
  const isHeld = session.isShared || conversation.turn.searches.length === 0;
  if (isHeld) record.sessionMs += await stored;
  await answer.end(joiner.finish());
  await stored;
}

async function gather(unfinished: Unfinished, conversation: Conversation): Promise<SessionAddition> {
  const { exchange, view } = unfinished;
  const { rounds, turn } = conversation;
  const { findings, last } = await resolveBeside(unfinished, conversation);
  const hidden = exchange.format.hideTurn(view, [...rounds, last]);
  return {
    // Loading a name twice is loading it once.
    loaded: [...findings.found, ...calledDeferred(unfinished, turn)],
    hiddenTurns: hidden ? [hidden] : [],
  };
}

async function resolveBeside(unfinished: Unfinished, { rounds, turn, findings }: Conversation) {
  if (turn.searches.length === 0) return { findings, last: { turn, results: [] } };
  const resolution = await resolveRound(unfinished, turn, findings, rounds.length + 1);
  return { findings: addFindings(findings, resolution), last: { turn, results: resolution.results } };
}

/** Deferred tools that the model called, be it without being shown them, or when all were shown: they stay visible from now on. */
function calledDeferred({ deferred }: Unfinished, turn: Turn): string[] {
  const isDeferred = new Set(deferred);
  return turn.realCalls.map((call) => call.name).filter((name) => isDeferred.has(name));
}
