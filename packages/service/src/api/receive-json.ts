import { isUtf8 } from 'node:buffer';
import { countJsonValues, type ErrorDetail, parseKept } from '@winnow/core';
import type { z } from 'zod';
import type { BodyMemory } from './admission.ts';
import { type ApiError, commonError } from './api-error.ts';
import type { Exchange } from './exchange.ts';
import { type BodyLimits, type BodySink, receiveBody } from './receive-body.ts';

/** The most JSON values of a body: a thousand tools with large schemas. */
const MAX_VALUES = 250_000;

/** A decoded body and its value. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/**
 * Receives the body of an exchange as JSON, and accounts for the memory that this takes. Rejects like
 * `receiveBody` and `readJson`, and with the errors of `hold`.
 *
 * @param hold sets the number of bytes that are held.
 * @param maxValues the most JSON values.
 */
export async function receiveJson(
  { incoming, outgoing }: Pick<Exchange, 'incoming' | 'outgoing'>,
  limits: BodyLimits,
  hold: ReturnType<BodyMemory['open']>['resize'],
  maxValues = MAX_VALUES,
): Promise<JsonBody> {
  const chunks: Buffer[] = [];
  let received = 0;
  let encodedBytes = 0;
  // The chunks, and the buffer that joins them.
  const holdAll = () => hold(2 * received + encodedBytes);
  const sink: BodySink = {
    hold: (held) => {
      encodedBytes = held;
      holdAll();
    },
    write: (chunk) => {
      received += chunk.length;
      holdAll();
      chunks.push(chunk);
    },
  };
  await receiveBody(incoming, outgoing, sink, limits);
  const bytes = Buffer.concat(chunks);
  chunks.length = 0;
  hold(readingBytes(bytes, maxValues));
  return { bytes, value: readJson(bytes, maxValues) };
}

const JSON_TYPE = /^application\/(json|[a-z0-9!#$&^_.+-]+\+json)$/;
const UTF8_CHARSET = /^charset="?utf-?8"?$/;

/**
 * Throws `unsupported_media_type` unless the content type is JSON in UTF-8: `application/json` or a `+json`
 * type.
 *
 * A missing `content-type` counts as JSON, because simple clients leave it out and no other type is possible
 * here.
 */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined) return;
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (!JSON_TYPE.test(type)) throw unsupported('The content-type is not application/json.');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !UTF8_CHARSET.test(charset)) throw unsupported('The charset is not utf-8.');
}

function unsupported(message: string): ApiError {
  return commonError('unsupported_media_type', message, { headers: { accept: 'application/json' } });
}

/** The most entries in an error's `details`; the first ones explain the problem. */
export const MAX_DETAILS = 20;

/**
 * The largest body whose values are not counted: even the densest values take only sixteen times its length.
 */
const SMALL_BYTES = 32 * 1024;
const [SMALL_FACTOR, VALUE_BYTES] = [16, 64];

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Returns the memory that reading a body as JSON takes, in bytes: the body, its text, and its parsed values,
 * of which no more than `maxValues` are counted.
 */
export function readingBytes(bytes: Buffer, maxValues: number): number {
  const values =
    bytes.length <= SMALL_BYTES
      ? SMALL_FACTOR * bytes.length
      : VALUE_BYTES * countJsonValues(bytes, maxValues);
  return 3 * bytes.length + values;
}

/**
 * Parses a body as JSON. Throws `invalid_json`, and `payload_too_large` for more than `maxValues`: each takes
 * up to 90 bytes once it is parsed, and up to two microseconds.
 */
export function readJson(bytes: Buffer, maxValues: number): unknown {
  if (bytes.length === 0) throw commonError('invalid_json', 'The body is empty.');
  // Every value has at least one byte, so a shorter body has fewer values.
  if (bytes.length > maxValues && countJsonValues(bytes, maxValues) > maxValues) {
    throw commonError('payload_too_large', `The body holds more than ${maxValues} JSON values.`);
  }
  // Decoding would silently replace invalid UTF-8.
  if (!isUtf8(bytes)) throw commonError('invalid_json', 'The body is not UTF-8.');
  const text = bytes.toString();
  // The parser's own message quotes the body, which must not appear in a response or a log.
  const value = parseKept(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if (value === undefined) throw commonError('invalid_json', 'The body is not valid JSON.');
  return value;
}

/**
 * Returns a value in the form of a schema. Throws `invalid_request`, with details about the first problems.
 */
export function checkForm<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(result.error.issues.map(toDetail));
}

/** Returns the error of a request in another form, with the first of its problems. */
export function invalidRequest(details: readonly ErrorDetail[], hint = ''): ApiError {
  const message = `The request does not have the right form; see details.${hint}`;
  return commonError('invalid_request', message, { details: details.slice(0, MAX_DETAILS) });
}

/** Returns a problem with a form as a detail of an error. */
export function toDetail({ path, message }: z.core.$ZodIssue): ErrorDetail {
  return { path: path.join('.'), message };
}
