import type { UpstreamCounter } from '../upstream/upstream-format.ts';
import { ANTHROPIC_MESSAGES } from './anthropic-messages.ts';
import { countPromptTokens } from './count-prompt-tokens.ts';
import { validateMessagesRequest } from './validate-messages-request.ts';

/**
 * `POST /v1/messages/count_tokens`: takes a Messages request without `max_tokens` and validates it by the
 * same rules.
 */
export const ANTHROPIC_COUNT_TOKENS: UpstreamCounter = {
  ...ANTHROPIC_MESSAGES,
  pathEnds: ['/v1/messages/count_tokens'],
  validate: (request, rules) => validateMessagesRequest(request, rules, 'count'),
  writeCount: (body) => ({ input_tokens: countPromptTokens(body) }),
};
