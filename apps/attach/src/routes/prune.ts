import { PruneRequest } from '@winnow/contract';
import type { AttachRoute } from '../http/attach-route.ts';
import { spanAttributesOf } from '../tell-attachment.ts';
import { type ChangeContext, finishing, respond } from './attach.ts';

/** `POST /api/v1/tools/prune`: takes away a share of an agent's MCP tools, the least relevant ones. */
export function pruneRoute(context: ChangeContext): AttachRoute<typeof PruneRequest> {
  return {
    name: 'prune',
    path: '/api/v1/tools/prune',
    body: PruneRequest,
    async handle({ scope, service, body, exchange }) {
      const { response, isReplay } = await context.repeated.answer(
        exchange.incoming,
        { scope, body: { prune: body } },
        async () => {
          const pruned = await finishing(context, () => service.prune(body));
          exchange.facts = { ...exchange.facts, ...context.tell(pruned, body.user_prompt) };
          exchange.span.set(spanAttributesOf(pruned));
          return pruned.response;
        },
      );
      return respond(response, isReplay);
    },
  };
}
