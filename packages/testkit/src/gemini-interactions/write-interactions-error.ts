import type { Interruption } from '../upstream/interruption.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import type { Rejection } from '../upstream/rejection.ts';
import type { SseEvent } from '../upstream/stream-item.ts';

const CODES = new Map([
  [400, 'invalid_request'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [429, 'resource_exhausted'],
  [503, 'unavailable'],
  [504, 'gateway_timeout'],
]);

/**
 * Writes an error in the shape of Interactions. Source:
 * https://github.com/allenhutchison/gemini-cli-deep-research/issues/73
 */
export function writeInteractionsError({ status, message, errorType }: Rejection): JsonObject {
  const code = errorType ?? CODES.get(status) ?? (status < 500 ? 'invalid_request' : 'internal_error');
  return { error: { message, code } };
}

/** Returns the error that the provider sends in the middle of a stream. */
export function interactionsStreamError({
  message,
  errorType = 'unavailable',
}: Extract<Interruption, { type: 'error' }>): SseEvent {
  const error = writeInteractionsError({ status: 503, message, errorType });
  return { type: 'event', event: 'error', data: JSON.stringify({ ...error, event_type: 'error' }) };
}
