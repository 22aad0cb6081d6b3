import * as schemas from '@winnow/contract';
import { REGISTRY_ERRORS, type RegistryErrorCode } from '@winnow/contract';
import { ApiDescription } from '@winnow/service';
import { OWN_SCHEMAS } from './schemas.ts';

const MEANINGS = {
  not_found: 'There is no such tool, as far as the token may see, or no such route.',
  invalid_tool:
    'A name, namespace, schema or text is not allowed; `details` names the place of each problem.',
  invalid_backend: 'A field of the backend is missing or empty.',
  invalid_example: 'An example is too large, or the schema of the tool does not allow its arguments.',
  invalid_cursor: 'The cursor is malformed, forged, or of another query.',
  forbidden: 'The token lacks the right, or may not change that namespace.',
  tool_conflict: 'Another backend of the tool gives a different definition; the message names the fields.',
  version_mismatch: 'The content has another version than `If-Match` says.',
  server_exists: 'There is a server of that name already: change it, or choose another name.',
  server_unreachable: 'The MCP server could not be reached or read; the message says why.',
  stale_cursor: 'The cursor or version is of an earlier life, or of what is no longer kept: begin again.',
  limit_exceeded: 'More tools, backends, examples or ids than there may be.',
  search_unavailable: 'No searcher can answer now.',
  storage_unavailable: 'The store does not answer.',
  storage_full: 'The disk is full: nothing was changed, and reading goes on.',
};

/** The shared parts of the description. */
export const DESCRIPTION = new ApiDescription({
  statuses: REGISTRY_ERRORS,
  meanings: MEANINGS,
  schemas,
  own: OWN_SCHEMAS,
});

/** Errors of a request that reads. */
export const READING: readonly RegistryErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'overloaded',
  'internal',
];
/** Errors of a request that has a body. */
export const POSTING: readonly RegistryErrorCode[] = [
  ...READING,
  'invalid_json',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
];
/** Errors of a request that changes the content. */
export const CHANGING: readonly RegistryErrorCode[] = [
  'version_mismatch',
  'limit_exceeded',
  'storage_unavailable',
  'storage_full',
];
