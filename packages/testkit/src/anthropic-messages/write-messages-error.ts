import type { Interruption } from '../upstream/interruption.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import type { Rejection } from '../upstream/rejection.ts';
import type { SseEvent } from '../upstream/stream-item.ts';

const ERROR_TYPES = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
]);

/** Writes an error in Anthropic's shape. */
export function writeMessagesError(rejection: Rejection, requestId: string): JsonObject {
  const { status, message } = rejection;
  const usual = ERROR_TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type: rejection.errorType ?? usual, message }, request_id: requestId };
}

/** Returns the error that Anthropic sends in the middle of a stream. */
export function messagesStreamError(error: Extract<Interruption, { type: 'error' }>): SseEvent {
  const type = error.errorType ?? 'overloaded_error';
  const data = JSON.stringify({ type: 'error', error: { type, message: error.message } });
  return { type: 'event', event: 'error', data };
}
