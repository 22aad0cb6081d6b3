import { z } from 'zod';
import { COMMON_ERRORS } from '../errors.ts';

/** Every error code of the service that attaches tools, with its HTTP status and when it happens. */
export const ATTACH_ERRORS = {
  ...COMMON_ERRORS,
  /** Letta has no such agent. */
  agent_not_found: 404,
  /** The same request, or another one for this agent, is still being worked on. */
  in_progress: 409,
  /** The `Idempotency-Key` was used with another body. */
  idempotency_conflict: 409,
  /** The agent's tools are not those that the plan was made for, or the plan is no longer known. */
  plan_stale: 409,
  /** Letta cannot be reached, fails, or sends what cannot be read. Nothing was changed. */
  letta_error: 502,
  /** Without `LETTA_BASE_URL`, or without `LETTA_WEBHOOK_SECRET` for the webhook. */
  not_configured: 503,
  /** The store of locks and stored responses does not answer. Nothing was changed. */
  store_unavailable: 503,
  /** Letta did not answer in time. Nothing was changed. */
  letta_timeout: 504,
} as const;

export type AttachErrorCode = keyof typeof ATTACH_ERRORS;

/** Body of every response that is not 2xx. */
export const AttachErrorResponse = z.object({
  success: z.literal(false),
  error: z.string().describe('What is wrong, for people.'),
  code: z.enum(Object.keys(ATTACH_ERRORS) as [AttachErrorCode, ...AttachErrorCode[]]),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type AttachErrorResponse = z.infer<typeof AttachErrorResponse>;
