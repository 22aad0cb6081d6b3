import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestView } from '@winnow/wire';
import type { ProxyContext } from './proxy-context.ts';
import type { SessionClues } from './sessions/session-clues.ts';
import { sessionKey } from './sessions/session-key.ts';
import { EMPTY_SESSION, type Session, type SessionAddition } from './sessions/session-store.ts';
import type { Target } from './upstream/choose-upstream.ts';

/** What is told of a store that fails. */
export interface SessionProblems {
  sessionErrors: number;
}

/**
 * An exchange's part in its session. Without a key, or without a store that works, the session is empty and what is added is lost:
 * the exchange itself goes on.
 */
export class ExchangeSession {
  readonly key: string | undefined;
  readonly #context: Pick<ProxyContext, 'sessions' | 'pendingWork'>;
  readonly #problems: SessionProblems;

  constructor(
    key: string | undefined,
    context: Pick<ProxyContext, 'sessions' | 'pendingWork'>,
    problems: SessionProblems,
  ) {
    this.key = key;
    this.#context = context;
    this.#problems = problems;
  }

  /** The session as the exchanges before have left it, those included that still have something to store. */
  async read(): Promise<Session> {
    if (this.key === undefined) return EMPTY_SESSION;
    try {
      await this.#context.pendingWork.settled(this.key);
      return await this.#context.sessions.read(this.key);
    } catch {
      this.#problems.sessionErrors++;
      return EMPTY_SESSION;
    }
  }

  /** Adds what `gather` gives, before a later exchange of the session may read. Never rejects. */
  async add(gather: () => SessionAddition | Promise<SessionAddition>): Promise<void> {
    const { key } = this;
    const work = async () => {
      const addition = await gather();
      if (key === undefined || (addition.loaded.length === 0 && addition.hiddenTurns.length === 0)) return;
      await this.#context.sessions.add(key, addition);
    };
    try {
      await (key === undefined ? work() : this.#context.pendingWork.run(key, work));
    } catch {
      this.#problems.sessionErrors++;
    }
  }
}

/** The key of the session that a request belongs to, or undefined. */
export function keyOfExchange(
  view: RequestView,
  incoming: IncomingMessage,
  target: Target,
  secret: KeyObject,
): string | undefined {
  return sessionKey(cluesOf(view, originOf(incoming, target)), secret);
}

/** What the request's connection and head tell of its session. */
export type RequestOrigin = Pick<SessionClues, 'upstream' | 'headers' | 'remoteAddress'>;

/** The origin of a request. */
export function originOf(incoming: IncomingMessage, target: Target): RequestOrigin {
  return {
    upstream: target.upstream.name,
    headers: incoming.rawHeaders,
    remoteAddress: incoming.socket.remoteAddress ?? '',
  };
}

/** What tells the conversation of a request apart; of a body that could not be read, only the headers do. */
export function cluesOf(view: RequestView | undefined, origin: RequestOrigin): SessionClues {
  const hint = view?.sessionHints[0];
  return {
    ...origin,
    bodyKey: hint && `${hint.source}=${hint.value}`,
    firstUserText: view?.firstUserText || undefined,
  };
}
