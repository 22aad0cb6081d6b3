import { z } from 'zod';

/** Error codes that every JSON API of ours has, with their HTTP status and when they happen. */
export const COMMON_ERRORS = {
  /** The body is not JSON, or not UTF-8. */
  invalid_json: 400,
  /** Wrong types, a missing field, or a number out of range; `details` names each path. */
  invalid_request: 400,
  /** Tokens are configured and the bearer token is missing or wrong. */
  unauthorized: 401,
  /** No such route. */
  not_found: 404,
  /** The route exists, with another method. */
  method_not_allowed: 405,
  /** The request did not arrive in full in time. */
  request_timeout: 408,
  /** The body is larger than the cap, or has too many tools. */
  payload_too_large: 413,
  /** `content-type` is not JSON, or `content-encoding` is not one of those supported. */
  unsupported_media_type: 415,
  /** A defect of the service. */
  internal: 500,
  /** Too many requests are waiting, or the server is draining; `Retry-After` says when to come back. */
  overloaded: 503,
} as const;

export type CommonErrorCode = keyof typeof COMMON_ERRORS;

/** Every error code of the selector, with its HTTP status and when it happens. */
export const ERRORS = {
  ...COMMON_ERRORS,
  /** This instance does not hold the `catalog_id`; send the tools again. */
  unknown_catalog: 404,
  /** This token may not search the registry. */
  forbidden: 403,
  /** The registry has not been reached yet, or does not let this selector in. */
  registry_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Body of every response that is not 2xx. */
export const ErrorResponse = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});
export type ErrorDetail = { path: string; message: string };
