import { AttachRequest, PruneRequest } from '@winnow/core';
import { jsonResponse, type RouteResponse } from '@winnow/service';
import { AttachError } from '../attach-error.ts';
import type { Attached } from '../attach-service.ts';
import type { AttachCall, AttachRoute } from '../http/attach-route.ts';
import type { RepeatedRequests } from '../http/repeated-requests.ts';
import { type AttachLog, spanAttributesOf } from '../metrics.ts';

/** The route that the service is named after. */
export const ATTACH_PATH = '/api/v1/tools/attach';

/** Context for the routes that change agents. */
export interface ChangeContext {
  readonly repeated: RepeatedRequests;
  readonly tell: AttachLog;
  /** Makes the service wait for some work before it ends, until the returned function is called. */
  readonly beginWork: () => () => void;
  readonly maxLimit: number;
}

/** The default number of tools to consider, unless fewer are allowed. */
const DEFAULT_LIMIT = 10;

/** `POST /api/v1/tools/attach`. */
export function attachRoute(context: ChangeContext): AttachRoute<typeof AttachRequest> {
  return {
    name: 'attach',
    path: ATTACH_PATH,
    body: AttachRequest,
    async handle({ scope, service, body, exchange }) {
      const limit = body.limit ?? Math.min(DEFAULT_LIMIT, context.maxLimit);
      checkLimit(limit, context.maxLimit);
      checkAgent(body.agent_id, exchange.incoming.headers['x-agent-id']);
      const work = () => service.attach({ ...body, limit });
      return await changeOnce({ scope, body: { attach: body }, query: body.query, exchange, work }, context);
    },
  };
}

/** A change of an agent that a request asks for. */
interface Change extends Pick<AttachCall<unknown>, 'scope' | 'exchange'> {
  readonly body: object;
  readonly query: string;
  readonly work: () => Promise<Attached>;
}

/** Changes an agent once for repeated requests, and responds. Finishes even if the client leaves or the service stops. */
export async function changeOnce(
  { scope, body, query, exchange, work }: Change,
  { repeated, tell, beginWork }: ChangeContext,
): Promise<RouteResponse> {
  const { response, isReplay } = await repeated.answer(exchange.incoming, { scope, body }, async () => {
    const end = beginWork();
    const changed = await work().finally(end);
    exchange.facts = { ...exchange.facts, ...tell(changed, query) };
    exchange.span.set(spanAttributesOf(changed));
    return changed.response;
  });
  return jsonResponse(response, isReplay ? { 'idempotent-replay': 'true' } : {});
}

function checkLimit(limit: number, most: number): void {
  if (limit <= most) return;
  throw new AttachError('invalid_request', 'The request does not have the right form; see details.', {
    details: [{ path: 'limit', message: `Too big: expected number to be <=${most}` }],
  });
}

function checkAgent(agentId: string, header: string | string[] | undefined): void {
  if (header === undefined || AttachRequest.shape.agent_id.safeParse(header).data === agentId) return;
  throw new AttachError('invalid_request', 'x-agent-id must name the same agent as agent_id.');
}

/** `POST /api/v1/tools/prune`: takes away a share of an agent's MCP tools, the least relevant ones. */
export function pruneRoute(context: ChangeContext): AttachRoute<typeof PruneRequest> {
  return {
    name: 'prune',
    path: '/api/v1/tools/prune',
    body: PruneRequest,
    async handle({ scope, service, body, exchange }) {
      const work = () => service.prune(body);
      const change = { scope, body: { prune: body }, query: body.user_prompt, exchange, work };
      return await changeOnce(change, context);
    },
  };
}
