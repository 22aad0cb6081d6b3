import { BodyBytes, type Format, type RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { type KnownResponse, readKnownResponse, responseNoteKey } from '../sessions/known-response.ts';
import type { PendingWork } from '../sessions/pending-work.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { bypass } from '../strategies/bypass.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import type { FormatExchange } from './format-exchange.ts';
import { pause } from './pause.ts';

/** Context for finding responses. */
export interface FindContext {
  readonly settings: Settings;
  readonly sessions: SessionStore;
  readonly pendingWork: PendingWork;
  readonly effects: Pick<ExchangeEffects, 'every'>;
}

/**
 * Finds a response by the client's id among the notes of the same credential. Waits for exchanges of this
 * process that are still storing it. Returns undefined if it is unknown or the store is unavailable. Never
 * rejects.
 */
export async function findResponse(
  id: string,
  { identity: { tenant }, format }: Pick<FormatExchange, 'identity' | 'format'>,
  { sessions, pendingWork, settings, effects }: FindContext,
): Promise<KnownResponse | undefined> {
  const key = responseNoteKey(id, format);
  const patienceMs = settings['tools.api.timeout'];
  try {
    await pendingWork.settled([`${tenant} ${key}`], () => pause(effects.every, patienceMs));
    const value = (await sessions.read(tenant, [key])).get(key);
    return value === undefined ? undefined : readKnownResponse(value);
  } catch {
    // The store reports its own failures.
    return undefined;
  }
}

/** Finds the response that a request continues from. Never rejects. */
export async function findPrevious(
  view: RequestView | undefined,
  exchange: FormatExchange,
  context: FindContext,
): Promise<KnownResponse | undefined> {
  const id = view && exchange.format.capabilities.storedResponses?.previousId(view);
  return id === undefined ? undefined : findResponse(id, exchange, context);
}

/**
 * Returns the client's request as the provider must receive it if nothing else is edited: continuing from the
 * provider's own response, with the results that it still expects. Returns the same body if nothing changes.
 */
export function originalAfter(
  body: BodyBytes,
  view: RequestView | undefined,
  format: Format,
  known: KnownResponse | undefined,
): BodyBytes {
  if (view === undefined || known === undefined) return body;
  const past = { hiddenTurns: [], rounds: [], alias: known.alias };
  const bytes = format.editing.editRequest(view, bypass('passthrough'), past);
  if (bytes === view.bytes.whole) return body;
  return new BodyBytes([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
}
