import { z } from 'zod';

/** Error codes that all our JSON APIs share, each with its HTTP status and the condition that causes it. */
export const COMMON_ERRORS = {
  /** The body is not JSON, or not UTF-8. */
  invalid_json: 400,
  /** Wrong types, a missing field, or a number out of range; `details` names each path. */
  invalid_request: 400,
  /** Tokens are configured, and the bearer token is missing or wrong. */
  unauthorized: 401,
  /** No such route. */
  not_found: 404,
  /** The route exists, but not with this method. */
  method_not_allowed: 405,
  /** The complete request did not arrive in time. */
  request_timeout: 408,
  /** The body exceeds the size limit or has too many tools. */
  payload_too_large: 413,
  /** `content-type` is not JSON, or `content-encoding` is not supported. */
  unsupported_media_type: 415,
  /** A defect of the service. */
  internal: 500,
  /** Too many requests are waiting, or the server is draining; `Retry-After` says when to retry. */
  overloaded: 503,
} as const;

export type CommonErrorCode = keyof typeof COMMON_ERRORS;

/** Error codes of the selector, each with its HTTP status and the condition that causes it. */
export const ERRORS = {
  ...COMMON_ERRORS,
  /** This instance does not hold the `catalog_id`; send the tools again. */
  unknown_catalog: 404,
  /** This token may not search the registry, or a selector on loopback without tokens was called by another name. */
  forbidden: 403,
  /** The registry has not been reached yet, or it denies this selector access. */
  registry_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Body of every non-2xx response. */
export const ErrorResponse = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});
export type ErrorDetail = { path: string; message: string };

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

/** Error codes of the registry, each with its HTTP status and the condition that causes it. */
export const REGISTRY_ERRORS = {
  ...COMMON_ERRORS,
  /** The name, namespace, schema or text of a tool is not allowed. */
  invalid_tool: 400,
  /** A field of a backend is empty. */
  invalid_backend: 400,
  /** An example is too large, or violates the tool's schema. */
  invalid_example: 400,
  /** A cursor is malformed, forged, or belongs to another query. */
  invalid_cursor: 400,
  /** The token lacks the permission, or may not change this namespace. */
  forbidden: 403,
  /** Another backend of the tool defines it differently. */
  tool_conflict: 409,
  /** The version of the content differs from `If-Match`. */
  version_mismatch: 409,
  /** A server with this name exists already. */
  server_exists: 409,
  /** A cursor or version is from an earlier epoch of the registry or has expired: start again. */
  stale_cursor: 409,
  /** Too many tools, backends, examples or ids. */
  limit_exceeded: 413,
  /** An MCP server could not be reached or read. */
  server_unreachable: 502,
  /** The store is unavailable. */
  storage_unavailable: 503,
  /** The disk is full; nothing was changed, and reads still work. */
  storage_full: 507,
} as const;

export type RegistryErrorCode = keyof typeof REGISTRY_ERRORS;

/** Body of every non-2xx response of the registry. */
export const RegistryErrorResponse = z.object({
  error: z.object({
    code: z.enum(Object.keys(REGISTRY_ERRORS) as [RegistryErrorCode, ...RegistryErrorCode[]]),
    message: z.string(),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('All problems with their places, such as `tools.3.namespace`; at most 100.'),
  }),
});
