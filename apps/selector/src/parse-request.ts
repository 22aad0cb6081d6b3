import { isUtf8 } from 'node:buffer';
import { type ErrorDetail, SearchQuery, SearchRequest } from '@winnow/contract';
import type { z } from 'zod';
import { SelectorError } from './selector-error.ts';

/** Most entries in an error's `details`: the first ones tell what is wrong, and 20,000 wrong tools need no longer answer. */
const MAX_DETAILS = 20;

/**
 * A whole request, checked. Throws `invalid_json`, `invalid_request` or, for too many tools, `payload_too_large`.
 *
 * `bytes` may be shared memory.
 */
export function parseRequest(bytes: Buffer, maxTools: number): SearchRequest {
  const value = parseJson(bytes);
  // Counted before the schema runs over them.
  if (countTools(value) > maxTools) {
    throw new SelectorError('payload_too_large', `There are more than ${maxTools} tools.`);
  }
  return check(SearchRequest, value);
}

/** The part of a request beside its tools, checked. Throws `invalid_json` or `invalid_request`. */
export function parseEnvelope(bytes: Buffer): SearchQuery {
  return check(SearchQuery, parseJson(bytes));
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new SelectorError('invalid_json', 'The body is empty.');
  // Decoding would replace what is not UTF-8 silently.
  if (!isUtf8(bytes)) throw new SelectorError('invalid_json', 'The body is not UTF-8.');
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    // The parser's own message quotes the body, which belongs in no answer and no log.
    throw new SelectorError('invalid_json', 'The body is not valid JSON.', { cause });
  }
}

function countTools(value: unknown): number {
  const tools = (value as { tools?: unknown } | null)?.tools;
  return Array.isArray(tools) ? tools.length : 0;
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new SelectorError('invalid_request', 'The request does not have the right form; see details.', {
    details: result.error.issues.slice(0, MAX_DETAILS).map(toDetail),
  });
}

function toDetail(issue: z.core.$ZodIssue): ErrorDetail {
  return { path: issue.path.join('.'), message: issue.message };
}
