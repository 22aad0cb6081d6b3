import { AttachRequest, type AttachResponse } from '@winnow/contract';
import { jsonResponse } from '@winnow/service';
import { AttachError } from '../attach-error.ts';
import { ATTACH_PATH } from '../attach-path.ts';
import type { AttachRoute } from '../http/attach-route.ts';
import type { RepeatedRequests } from '../http/repeated-requests.ts';
import { type AttachLog, spanAttributesOf } from '../tell-attachment.ts';

/** What the routes that change agents take. */
export interface ChangeContext {
  readonly repeated: RepeatedRequests;
  readonly tell: AttachLog;
  /** Counts what has to be finished before the service may end, until the function that it gives is called. */
  readonly beginWork: () => () => void;
  readonly maxLimit: number;
}

/** How many tools are looked at when a request does not say, unless fewer are allowed. */
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
      const { response, isReplay } = await context.repeated.answer(
        exchange.incoming,
        { scope, body: { attach: body } },
        async () => {
          const attached = await finishing(context, () => service.attach({ ...body, limit }));
          exchange.facts = { ...exchange.facts, ...context.tell(attached, body.query) };
          exchange.span.set(spanAttributesOf(attached));
          return attached.response;
        },
      );
      return respond(response, isReplay);
    },
  };
}

/** Finishes work also when the client has left and when the service is about to end. */
export async function finishing<Result>(
  { beginWork }: Pick<ChangeContext, 'beginWork'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const end = beginWork();
  try {
    return await work();
  } finally {
    end();
  }
}

export function respond(response: AttachResponse, isReplay: boolean) {
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
