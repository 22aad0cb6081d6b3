import type { Interruption } from '../upstream/interruption.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import type { Rejection } from '../upstream/rejection.ts';
import type { SseEvent } from '../upstream/stream-item.ts';

/** Writes an error in OpenAI's shape. */
export function writeChatError({ status, message, errorType, param, code }: Rejection): JsonObject {
  const type = errorType ?? errorTypeOf(status);
  return { error: { message, type, param: param ?? null, code: code ?? errorCodeOf(status) } };
}

/** Returns the error that OpenAI sends in the middle of a stream. */
export function chatStreamError(error: Extract<Interruption, { type: 'error' }>): SseEvent {
  const type = error.errorType ?? 'server_error';
  return {
    type: 'event',
    data: JSON.stringify({ error: { message: error.message, type, param: null, code: null } }),
  };
}

function errorTypeOf(status: number): string {
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function errorCodeOf(status: number): string | null {
  if (status === 401) return 'invalid_api_key';
  return status === 429 ? 'rate_limit_exceeded' : null;
}
