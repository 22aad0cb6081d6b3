import { PruneRequest } from '@winnow/core';
import type { AttachRoute } from '../http/attach-route.ts';
import { type ChangeContext, changeOnce } from './attach.ts';

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
