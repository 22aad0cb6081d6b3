import type { Interruption } from '../upstream/interruption.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import type { Rejection } from '../upstream/rejection.ts';
import type { SseEvent } from '../upstream/stream-item.ts';

const NAMES = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

/** Writes an error in Google's shape. */
export function writeGeminiError({ status, message, errorType }: Rejection): JsonObject {
  const name = errorType ?? NAMES.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  return { error: { code: status, message, status: name } };
}

/** Returns the error that the provider sends in the middle of a stream. */
export function geminiStreamError({
  message,
  errorType = 'UNAVAILABLE',
}: Extract<Interruption, { type: 'error' }>): SseEvent {
  const error = writeGeminiError({ status: 503, message, errorType });
  return { type: 'event', data: JSON.stringify(error) };
}
