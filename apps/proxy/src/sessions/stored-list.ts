import type { RedisCommand, RedisReply } from './redis-link.ts';
import { isWrongType } from './redis-problem.ts';

/** Bounds of what is stored. */
export const STORED_LIST_LIMITS = {
  /** Of one value; a larger one is not stored. */
  valueBytes: 2 ** 20,
  /** Of all values in a list. */
  bytes: 4 * 2 ** 20,
  /** Values in a list; also what bounds a list that somebody else has written. */
  values: 1_024,
} as const;

/** Reads the newest values of a list: no more than may be there, whatever is there. */
export function readList(key: string): RedisCommand {
  return ['lrange', key, -STORED_LIST_LIMITS.values, -1];
}

/** Adds values to a list, and lets the oldest go when there are too many. Nothing for no values. */
export function appendToList(key: string, values: readonly string[]): RedisCommand[] {
  if (values.length === 0) return [];
  return [
    ['rpush', key, ...values],
    ['ltrim', key, -STORED_LIST_LIMITS.values, -1],
  ];
}

/** Whether a value is too large to be stored. */
export function isTooLarge(value: string): boolean {
  return Buffer.byteLength(value) > STORED_LIST_LIMITS.valueBytes;
}

/** What a reply to `readList` holds, and the commands that put right a key that holds too much, or something else than a list. */
export interface ListReading {
  readonly values: readonly string[];
  readonly cure: readonly RedisCommand[];
}

/** The newest values that are not too large together. */
export function listIn(reply: RedisReply, key: string): ListReading {
  if (!reply.ok) return { values: [], cure: isWrongType(reply.error) ? [['unlink', key]] : [] };
  const texts = Array.isArray(reply.value) ? reply.value.filter((text) => typeof text === 'string') : [];
  const values = newest(texts);
  if (values.length === texts.length) return { values, cure: [] };
  return { values, cure: [values.length === 0 ? ['unlink', key] : ['ltrim', key, -values.length, -1]] };
}

/**
 * The texts, or the newest of them when all together are too large. Then half the room is left free, so that not every turn of a long
 * conversation changes what the model is told of its beginning: that would cost the provider's prompt cache each time.
 */
function newest(texts: readonly string[]): readonly string[] {
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= STORED_LIST_LIMITS.bytes) return texts;
  let room = STORED_LIST_LIMITS.bytes / 2;
  let first = texts.length;
  while (first > 0 && sizes[first - 1]! <= room) {
    first--;
    room -= sizes[first]!;
  }
  return texts.slice(first);
}
