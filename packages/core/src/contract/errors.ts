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
