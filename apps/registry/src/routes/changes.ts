import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ChangeEventData } from '@winnow/core';
import type { ChangeEvent, HistoryPlace, Registry } from '@winnow/registry';
import { overloaded, type Shares } from '@winnow/service';
import type { Caller, Callers } from '../http/callers.ts';
import type { RegistryRoute } from '../http/registry-route.ts';
import { RegistryError, unwrap } from '../registry-error.ts';

/** Most bytes that wait for a slow reader; beyond them it is disconnected, and can resume from its last event. */
const MAX_WAITING_BYTES = 1024 * 1024;
const HEARTBEAT_MS = 15_000;

const MARK_DIGITS = 16;

/** Context of the change feed. */
export interface ChangesContext {
  /** Aborts when the service ends: followers are let go, to follow another instance. */
  readonly ending: AbortSignal;
  /** Calls at an interval until the returned function is called. */
  readonly every: (intervalMs: number, call: () => void) => () => void;
  readonly callers: Pick<Callers, 'admits'>;
  /** The open streams: each caller has its share of them. */
  readonly followers: Shares;
}

/**
 * `GET /v1/registry/changes`: server-sent events, with ids that lead back to where a reader was.
 *
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function changesRoute(context: ChangesContext): RegistryRoute<undefined> {
  return {
    name: 'changes',
    path: '/v1/registry/changes',
    right: 'read',
    body: undefined,
    async handle({ caller, registry, query, exchange }) {
      const { incoming } = exchange;
      const lastId = incoming.headers['last-event-id'];
      const place = readPlace(typeof lastId === 'string' ? lastId : query.since, registry);
      if (query.epoch !== undefined && query.epoch !== registry.epoch) {
        throw new RegistryError(
          'stale_cursor',
          'The registry has been reset since then: list the tools again.',
        );
      }
      unwrap(registry.changesSince(place));
      const leave = context.followers.take(caller);
      if (leave === undefined) throw overloaded('Too many clients follow the changes.');
      if (exchange.outgoing.destroyed) leave();
      else exchange.outgoing.once('close', leave);
      const { version, epoch } = registry;
      return {
        status: 200,
        headers: {
          'content-type': 'text/event-stream',
          'cache-control': 'no-store',
          'winnow-registry-epoch': epoch,
          'winnow-registry-version': String(version),
          'winnow-registry-sight': sightMark(caller),
        },
        stream: (outgoing) => follow({ registry, place, caller }, outgoing, context),
      };
    },
  };
}

/** Returns a mark that changes with a token's sight: a follower then has to list again, as no event reports it. */
function sightMark({ tenant, sight }: Caller): string {
  return hash('sha256', JSON.stringify([tenant, sight?.key ?? ''])).slice(0, MARK_DIGITS);
}

/** Reads `version` or `version.index`; without one, the feed starts now. */
function readPlace(text: string | undefined, { version }: Registry): HistoryPlace {
  if (text === undefined) return { version, index: Number.POSITIVE_INFINITY };
  const [, major, minor] = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (major === undefined) {
    throw new RegistryError(
      'invalid_request',
      'since must be a version, or the id of an event such as 12.0.',
    );
  }
  return { version: Number(major), index: minor === undefined ? Number.POSITIVE_INFINITY : Number(minor) };
}

/** Streams events. Reads the known ones in the turn in which it starts to listen, so that none is missed. */
function follow(
  { registry, place, caller }: { registry: Registry; place: HistoryPlace; caller: Caller },
  outgoing: ServerResponse,
  { callers, ending, every }: ChangesContext,
): void {
  const end = () => {
    outgoing.end();
  };
  const write = (text: string) => {
    if (outgoing.destroyed || outgoing.writableEnded) return;
    // Its token is no longer accepted.
    if (!callers.admits(caller)) return end();
    outgoing.write(text);
    if (outgoing.writableLength > MAX_WAITING_BYTES) outgoing.destroy();
  };
  const stopListening = registry.onChange((event) => write(toEventText(event)));
  const stopBeating = every(HEARTBEAT_MS, () => write(':\n\n'));
  ending.addEventListener('abort', end, { once: true });
  outgoing.once('close', () => {
    stopListening();
    stopBeating();
    ending.removeEventListener('abort', end);
  });
  // Something must be sent for the head to go out at once.
  write(':\n\n');
  const known = registry.changesSince(place);
  for (const event of known.ok ? known.events : []) write(toEventText(event));
  // Either the service ends, or so much has changed since the head was decided upon that the client must begin again.
  if (ending.aborted || !known.ok) end();
}

function toEventText({ at, definition, ...event }: ChangeEvent): string {
  const data: ChangeEventData = {
    ...event,
    ...(definition && { definition: { ...definition, changed: [...definition.changed] } }),
    at: new Date(at).toISOString(),
  };
  return `id: ${event.version}.${event.index}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
