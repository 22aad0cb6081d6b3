import { z } from 'zod';
import { COMMON_ERRORS } from '../errors.ts';

/** Error codes of the attach service, each with its HTTP status and the condition that causes it. */
export const ATTACH_ERRORS = {
  ...COMMON_ERRORS,
  /** Letta has no such agent. */
  agent_not_found: 404,
  /** This request, or another one for the same agent, is still in progress. */
  in_progress: 409,
  /** The `Idempotency-Key` was used with another body. */
  idempotency_conflict: 409,
  /** The agent's tools have changed since the plan was made, or the plan has expired. */
  plan_stale: 409,
  /** Letta is unreachable, fails, or sends an unreadable response. Nothing was changed. */
  letta_error: 502,
  /** `letta.base_url` is not set, or `letta.webhook_secret` is not set for the webhook. */
  not_configured: 503,
  /** The store of locks and stored responses is unreachable. Nothing was changed. */
  store_unavailable: 503,
  /** Letta did not respond in time. Nothing was changed. */
  letta_timeout: 504,
} as const;

export type AttachErrorCode = keyof typeof ATTACH_ERRORS;

/** Body of every response that is not 2xx. */
export const AttachErrorResponse = z.object({
  success: z.literal(false),
  error: z.string().describe('A description of the error for people.'),
  code: z.enum(Object.keys(ATTACH_ERRORS) as [AttachErrorCode, ...AttachErrorCode[]]),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type AttachErrorResponse = z.infer<typeof AttachErrorResponse>;
