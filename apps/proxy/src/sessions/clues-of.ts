import type { IncomingMessage } from 'node:http';
import type { RequestView } from '@winnow/wire';
import type { Target } from '../upstream/choose-upstream.ts';
import type { SessionClues } from './session-clues.ts';

/** What the connection and the head of a request tell of its session. Plain data. */
export type RequestOrigin = Pick<SessionClues, 'upstream' | 'headers' | 'remoteAddress'>;

/** The origin of a request. */
export function originOf(incoming: IncomingMessage, target: Target): RequestOrigin {
  return {
    upstream: target.upstream.name,
    headers: incoming.rawHeaders,
    remoteAddress: incoming.socket.remoteAddress ?? '',
  };
}

/** What tells the conversation of a request apart; of a body that could not be read, only its origin does. */
export function cluesOf(view: RequestView | undefined, origin: RequestOrigin): SessionClues {
  const hint = view?.sessionHints[0];
  return {
    ...origin,
    bodyKey: hint && `${hint.source}=${hint.value}`,
    firstUserText: view?.firstUserText || undefined,
  };
}
