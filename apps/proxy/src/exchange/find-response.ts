import { BodyBytes, type Format, type RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { type KnownResponse, readKnownResponse, responseNoteKey } from '../sessions/known-response.ts';
import type { PendingWork } from '../sessions/pending-work.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { bypass } from '../strategies/bypass.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import type { FormatExchange } from './format-exchange.ts';
import { pause } from './pause.ts';

/** Context for finding. */
export interface FindContext {
  readonly settings: Settings;
  readonly sessions: SessionStore;
  readonly pendingWork: PendingWork;
  readonly effects: Pick<ExchangeEffects, 'every'>;
}

/**
 * Finds a response by the id that a client has of it, among the notes of the same credential. Waits for exchanges of this process that
 * still have to store it. Undefined when nothing is known, and when the store is away. Never rejects.
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
    // The store tells of its failures by itself.
    return undefined;
  }
}

/** Finds the response that a request goes on from. Never rejects. */
export async function findPrevious(
  view: RequestView | undefined,
  exchange: FormatExchange,
  context: FindContext,
): Promise<KnownResponse | undefined> {
  const id = view && exchange.format.capabilities.storedResponses?.previousId(view);
  return id === undefined ? undefined : findResponse(id, exchange, context);
}

/**
 * The client's request as the provider has to get it where nothing else of it is edited: going on from the response that it means, with what that
 * response still waits for. The very same body when that changes nothing.
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
