import type { Interruption } from '../upstream/interruption.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import type { Rejection } from '../upstream/rejection.ts';
import type { SseEvent } from '../upstream/stream-item.ts';
import { exceptionData } from './event-stream-framing.ts';

/** Writes an error in Bedrock's shape; a header carries its type. */
export function writeBedrockError({ message }: Rejection): JsonObject {
  return { message };
}

/** Returns the exception that Bedrock sends in the middle of a stream. */
export function bedrockStreamError(error: Extract<Interruption, { type: 'error' }>): SseEvent {
  return { type: 'event', data: exceptionData(error.errorType ?? 'throttlingException', error.message) };
}

export function bedrockHeaders(requestId: string): Record<string, string> {
  return { 'x-amzn-requestid': requestId };
}

/** Returns the model that a path names. */
export function modelInBedrockPath(path: string): string {
  return decodeURIComponent(/\/model\/([^/?]+)\//.exec(path)?.[1] ?? '');
}
