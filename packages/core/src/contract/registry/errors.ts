import { z } from 'zod';
import { COMMON_ERRORS } from '../errors.ts';

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
