import {
  type AdmissionContext,
  admitExchange,
  type BodyLimits,
  checkForm,
  type Exchange,
  type Route,
  type RouteResponse,
  receiveJson,
  requireJson,
} from '@winnow/service';
import type { z } from 'zod';
import { AttachError } from '../attach-error.ts';
import type { AttachService } from '../attach-service.ts';
import type { Callers } from './callers.ts';

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
