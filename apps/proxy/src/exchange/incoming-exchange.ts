import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientSignal } from '../http/client-signal.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import type { HeadWriter } from './head-writer.ts';

/** One request on its way through the proxy. */
export interface IncomingExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Writes the head of `outgoing`; nothing else does. */
  readonly head: HeadWriter;
  readonly target: Target;
  /** Aborts when the client leaves before its response is whole. */
  readonly signal: ClientSignal;
}
