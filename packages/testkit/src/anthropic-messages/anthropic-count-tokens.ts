import type { UpstreamFormat } from '../upstream/upstream-format.ts';
import { ANTHROPIC_MESSAGES } from './anthropic-messages.ts';
import { validateMessagesRequest } from './validate-messages-request.ts';

/** `POST /v1/messages/count_tokens`: a message's request without `max_tokens`, judged the same way otherwise. */
export const ANTHROPIC_COUNT_TOKENS: Pick<
  UpstreamFormat,
  'pathEnds' | 'validate' | 'writeError' | 'writeHeaders'
> = {
  ...ANTHROPIC_MESSAGES,
  pathEnds: ['/v1/messages/count_tokens'],
  validate: (request, rules) => validateMessagesRequest(request, rules, 'count'),
};
