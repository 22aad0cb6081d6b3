import { isUtf8 } from 'node:buffer';
import type { ErrorDetail } from '@winnow/contract';
import { countJsonValues } from '@winnow/text';
import type { z } from 'zod';
import { commonError } from './api-error.ts';

/** Most entries in an error's `details`: the first ones tell what is wrong. */
const MAX_DETAILS = 20;

/** Most JSON values of a body: those of 20,000 tools with large schemas. Each takes up to 90 bytes once it is parsed. */
const MAX_VALUES = 1_000_000;

/** Bodies up to this size are not looked through: the values of one that is as full as can be take sixteen times its length. */
const SMALL_BYTES = 32 * 1024;
const [SMALL_FACTOR, VALUE_BYTES] = [16, 64];

/** What reading a body as JSON takes, in bytes: the body, its text, and the texts and the values that are made of it. */
export function readingBytes(bytes: Buffer): number {
  const values =
    bytes.length <= SMALL_BYTES
      ? SMALL_FACTOR * bytes.length
      : VALUE_BYTES * countJsonValues(bytes, MAX_VALUES);
  return 3 * bytes.length + values;
}

/** A body as JSON. Throws `invalid_json`, and `payload_too_large` for more values than are read. */
export function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw commonError('invalid_json', 'The body is empty.');
  // Every value has a byte of its own.
  if (bytes.length > MAX_VALUES && countJsonValues(bytes, MAX_VALUES) > MAX_VALUES) {
    throw commonError('payload_too_large', `The body holds more than ${MAX_VALUES} JSON values.`);
  }
  // Decoding would replace what is not UTF-8 silently.
  if (!isUtf8(bytes)) throw commonError('invalid_json', 'The body is not UTF-8.');
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    // The parser's own message quotes the body, which belongs in no response and no log.
    throw commonError('invalid_json', 'The body is not valid JSON.', { cause });
  }
}

/** A value in the form of a schema. Throws `invalid_request`, with a detail for each of the first problems. */
export function checkForm<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw commonError('invalid_request', 'The request does not have the right form; see details.', {
    details: result.error.issues.slice(0, MAX_DETAILS).map(toDetail),
  });
}

function toDetail({ path, message }: z.core.$ZodIssue): ErrorDetail {
  return { path: path.join('.'), message };
}
