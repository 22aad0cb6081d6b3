import type { IncomingMessage } from 'node:http';
import type { Registry } from '@winnow/registry';
import {
  type AdmissionContext,
  admitExchange,
  type BodyLimits,
  checkForm,
  type Exchange,
  overloaded,
  type Route,
  type RouteResponse,
  type RouteStream,
  receiveJson,
  requireJson,
} from '@winnow/service';
import type { z } from 'zod';
import type { Metrics } from '../metrics.ts';
import { RegistryError } from '../registry-error.ts';
import type { Caller, Callers, Right } from './callers.ts';

/** Context that all routes of the registry share. */
export interface RouteContext extends AdmissionContext {
  readonly registries: Registries;
  readonly callers: Callers;
  readonly bodyLimits: BodyLimits;
  readonly metrics: Metrics;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** An authorized request to a registry. */
export interface RegistryCall<Body> {
  readonly caller: Caller;
  readonly registry: Registry;
  readonly body: Body;
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The query parameters; of repeated ones, the last counts. */
  readonly query: Readonly<Record<string, string>>;
  /** The version that the request requires of the content, if any. */
  readonly expectVersion: number | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Frees the place of this request for others, while it waits for another server. */
  readonly release: () => void;
  readonly exchange: Exchange;
}

export interface RegistryRoute<Schema extends z.ZodType | undefined> {
  readonly name: string;
  /** With its parameters as `{id}`. */
  readonly path: string;
  readonly right: Right;
  /** The schema of its body; undefined for a request without one. */
  readonly body: Schema;
  handle(
    call: RegistryCall<Schema extends z.ZodType ? z.infer<Schema> : undefined>,
  ): Promise<RouteResponse | RouteStream>;
}

/** Converts a route for the exchange. Unauthorized and malformed requests are refused before the body is read. */
export function toRoute<Schema extends z.ZodType | undefined>(
  route: RegistryRoute<Schema>,
  params: Readonly<Record<string, string>>,
  context: RouteContext,
): Route {
  return {
    name: route.name,
    tracedPath: route.path,
    async handle(exchange) {
      const { incoming } = exchange;
      const caller = context.callers.identify(incoming, route.right);
      exchange.facts = { caller: caller.name };
      if (route.body !== undefined) requireJson(incoming.headers['content-type']);
      const expectVersion = readVersion(incoming.headers['if-match']);
      return await admitExchange(exchange, { ...context, party: caller }, async ({ hold, release }) => {
        const registry = context.registries.of(caller);
        const body =
          route.body && checkForm(route.body, (await receiveJson(exchange, context.bodyLimits, hold)).value);
        return await route.handle({
          caller,
          registry,
          body: body as never,
          params,
          query: readQuery(incoming),
          expectVersion,
          signal: leaveSignal(exchange),
          release,
          exchange,
        });
      });
    },
  };
}

function readQuery({ url = '/' }: IncomingMessage): Readonly<Record<string, string>> {
  const start = url.indexOf('?');
  return start < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start + 1)));
}

/** Reads `If-Match: "12"`, with or without quotes; `*` and a missing header require nothing. */
function readVersion(header: string | undefined): number | undefined {
  if (header === undefined || header === '*') return undefined;
  const [, digits] = /^"?(\d{1,15})"?$/.exec(header) ?? [];
  if (digits === undefined) {
    throw new RegistryError('invalid_request', 'If-Match must be a version of the registry, such as "12".');
  }
  return Number(digits);
}

function leaveSignal({ outgoing }: Exchange): AbortSignal {
  const controller = new AbortController();
  if (outgoing.destroyed) controller.abort();
  else {
    outgoing.once('close', () => {
      // Every response closes; aborting needlessly would create an error each time.
      if (!outgoing.writableEnded) controller.abort();
    });
  }
  return controller.signal;
}

/** The registries of all tenants, once they are open. */
export class Registries {
  #byTenant: ReadonlyMap<string, Registry> | undefined;
  /** A caller is one object for as long as its token is accepted. */
  readonly #views = new WeakMap<Caller, Registry>();

  get isOpen(): boolean {
    return this.#byTenant !== undefined;
  }

  get all(): readonly Registry[] {
    return [...(this.#byTenant?.values() ?? [])];
  }

  open(byTenant: ReadonlyMap<string, Registry>): void {
    this.#byTenant = byTenant;
  }

  /** The registry as a caller sees it. Throws `overloaded` while the service starts. */
  of(caller: Caller): Registry {
    const known = this.#views.get(caller);
    if (known !== undefined) return known;
    const registry = this.#byTenant?.get(caller.tenant);
    if (registry === undefined) throw overloaded('The registry is starting.');
    const view = caller.sight === undefined ? registry : registry.within(caller.sight);
    this.#views.set(caller, view);
    return view;
  }
}
