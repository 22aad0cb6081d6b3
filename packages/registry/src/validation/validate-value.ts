import { isJsonObject } from '../model/json.ts';
import { SchemaWalk } from './schema-walk.ts';
import type { ValidationError } from './validation-error.ts';
import { VALIDATION_LIMITS } from './validation-limits.ts';

/** What validating a value against a schema found. */
export type Validation =
  | { readonly result: 'valid'; readonly notes: readonly 'pattern_not_checked'[] }
  | { readonly result: 'invalid'; readonly errors: readonly ValidationError[] }
  /** Nothing is known: the schema points outside of itself, or is too expensive to follow. */
  | { readonly result: 'unchecked'; readonly reason: 'external_ref' | 'schema_too_complex' };

/**
 * Validates a value against a JSON Schema by interpreting it: no code is generated, nothing is fetched, and the schema is
 * not changed.
 *
 * The dialect is that of `$schema`, 2020-12 unless it says draft-07. `pattern`s run in linear time; one that cannot is not
 * checked, and said in `notes`. `format` is an annotation, as both dialects have it by default. VALIDATION_LIMITS bound the
 * value and the work, so that both sides may be hostile.
 *
 * Sources: https://json-schema.org/draft/2020-12, https://json-schema.org/draft-07
 */
export function validateValue(schema: unknown, value: unknown): Validation {
  const tooLarge = findSizeError(value);
  if (tooLarge !== undefined) return { result: 'invalid', errors: [{ path: '', message: tooLarge }] };
  const walk = new SchemaWalk(schema);
  walk.check(value);
  if (walk.stopped !== undefined) return { result: 'unchecked', reason: walk.stopped };
  if (walk.errors.length > 0) return { result: 'invalid', errors: walk.errors };
  return { result: 'valid', notes: walk.hasUncheckedPattern ? ['pattern_not_checked'] : [] };
}

function findSizeError(value: unknown): string | undefined {
  const { maxDepth, maxBytes } = VALIDATION_LIMITS;
  // First, so that what follows does not recurse without end.
  if (isDeeperThan(value, maxDepth)) return `must not be nested deeper than ${maxDepth}`;
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  return bytes > maxBytes ? `must not be larger than ${maxBytes} bytes` : undefined;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (!Array.isArray(value) && !isJsonObject(value)) return false;
  if (depth <= 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, depth - 1));
}
