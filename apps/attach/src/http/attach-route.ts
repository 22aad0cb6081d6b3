import type { IncomingMessage } from 'node:http';
import {
  type AdmissionContext,
  admitExchange,
  type BodyLimits,
  checkForm,
  type Exchange,
  hostNameOf,
  isLoopback,
  type Party,
  type Route,
  type RouteResponse,
  receiveJson,
  requireJson,
  TokenSet,
} from '@winnow/service';
import type { z } from 'zod';
import { AttachError } from '../attach-error.ts';
import type { AttachService } from '../attach-service.ts';

/** Context shared by all routes. */
export interface RouteContext extends AdmissionContext {
  readonly callers: Callers;
  readonly bodyLimits: BodyLimits;
  /** Undefined without `letta.base_url`. */
  readonly service: AttachService | undefined;
}

/** An admitted request. */
export interface AttachCall<Body> {
  /** Tells callers apart. */
  readonly scope: string;
  readonly service: AttachService;
  readonly body: Body;
  readonly exchange: Exchange;
}

/** One route of the service. */
export interface AttachRoute<Schema extends z.ZodType | undefined> {
  readonly name: string;
  readonly path: string;
  /** The form of its body; undefined for a request that has none. */
  readonly body: Schema;
  handle(call: AttachCall<Schema extends z.ZodType ? z.infer<Schema> : undefined>): Promise<RouteResponse>;
}

/** Returns a route for the exchange. Unauthorized and malformed requests are refused before the body is read. */
export function toRoute<Schema extends z.ZodType | undefined>(
  route: AttachRoute<Schema>,
  context: RouteContext,
): Route {
  return {
    name: route.name,
    tracedPath: route.path,
    async handle(exchange) {
      const scope = context.callers.identify(exchange.incoming);
      if (route.body !== undefined) requireJson(exchange.incoming.headers['content-type']);
      const { service } = context;
      if (service === undefined) throw new AttachError('not_configured', 'letta.base_url is not set.');
      const party = context.callers.partyOf(scope);
      return await admitExchange(exchange, { ...context, party }, async ({ hold }) => {
        const body =
          route.body && checkForm(route.body, (await receiveJson(exchange, context.bodyLimits, hold)).value);
        return await route.handle({
          scope,
          service: service.under(exchange.span),
          body: body as never,
          exchange,
        });
      });
    },
  };
}

/** Tells callers by their bearer tokens. Without tokens everybody on this machine may change every agent. */
export class Callers {
  #tokens: TokenSet;

  constructor(tokens: readonly string[]) {
    this.#tokens = new TokenSet(tokens);
  }

  /** Accepts other tokens from the next request on. */
  use(tokens: readonly string[]): void {
    this.#tokens = new TokenSet(tokens);
  }

  /** The holders of tokens, who share the requests that may wait. */
  get parties(): readonly Party[] {
    return this.#tokens.parties;
  }

  /** Returns the holder of a token, by the text that {@link identify} gives. */
  partyOf(scope: string): Party | undefined {
    return this.#tokens.partyOf(scope);
  }

  /**
   * Returns a text that differs for each token. Throws `unauthorized` when tokens are configured and the
   * request has none of them.
   */
  identify(incoming: IncomingMessage): string {
    if (this.#tokens.isEmpty) {
      // A page in a browser may reach loopback under the page's own host name:
      // https://en.wikipedia.org/wiki/DNS_rebinding
      if (isLoopback(hostNameOf(incoming.headers.host ?? ''))) return '';
      throw new AttachError('unauthorized', 'Without tokens, the service answers to localhost only.');
    }
    return this.#tokens.authorize(incoming);
  }
}
