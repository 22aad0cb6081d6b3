import { z } from 'zod';
import { COMMON_ERRORS } from '../errors.ts';

/** Every error code of the registry, with its HTTP status and when it happens. */
export const REGISTRY_ERRORS = {
  ...COMMON_ERRORS,
  /** A tool whose name, namespace, schema or text is not allowed. */
  invalid_tool: 400,
  /** A backend with an empty field. */
  invalid_backend: 400,
  /** An example that is too large, or that the tool's schema does not allow. */
  invalid_example: 400,
  /** A cursor that is malformed, forged, or of another query. */
  invalid_cursor: 400,
  /** The token has not the right, or may not change that namespace. */
  forbidden: 403,
  /** Another backend of the tool gives a different definition. */
  tool_conflict: 409,
  /** The content has another version than `If-Match` says. */
  version_mismatch: 409,
  /** There is a server of that name already. */
  server_exists: 409,
  /** A cursor or version of an earlier life of the registry, or of what is no longer kept: begin again. */
  stale_cursor: 409,
  /** More tools, backends, examples or ids than there may be. */
  limit_exceeded: 413,
  /** An MCP server could not be reached or read. */
  server_unreachable: 502,
  /** No searcher can answer now. */
  search_unavailable: 503,
  /** The store does not answer. */
  storage_unavailable: 503,
  /** The disk is full: nothing was changed, and reading goes on. */
  storage_full: 507,
} as const;

export type RegistryErrorCode = keyof typeof REGISTRY_ERRORS;

/** Body of every response of the registry that is not 2xx. */
export const RegistryErrorResponse = z.object({
  error: z.object({
    code: z.enum(Object.keys(REGISTRY_ERRORS) as [RegistryErrorCode, ...RegistryErrorCode[]]),
    message: z.string(),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('Every problem with its place, such as `tools.3.namespace`; at most 100.'),
  }),
});
