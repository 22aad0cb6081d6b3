import { isJsonObject } from '../canonical-json.ts';
import { type CompilePattern, SchemaWalk } from './schema-walk.ts';
import type { ValidationError } from './validation-error.ts';
import { VALIDATION_LIMITS } from './validation-limits.ts';

/** The result of validating a value against a schema. */
export type Validation =
  | { readonly result: 'valid'; readonly notes: readonly 'pattern_not_checked'[] }
  | { readonly result: 'invalid'; readonly errors: readonly ValidationError[] }
  /** No result: the schema refers to another document, or is too expensive to check. */
  | { readonly result: 'unchecked'; readonly reason: 'external_ref' | 'schema_too_complex' };

/**
 * Validates a value against a JSON Schema by interpretation: generates no code, fetches nothing, and leaves the schema
 * unchanged.
 *
 * `$schema` selects the dialect: 2020-12 by default, or draft-07. A pattern that `compilePattern` does not accept is
 * skipped and reported in `notes`. `format` is an annotation, the default of both dialects. VALIDATION_LIMITS bound the
 * value and the work, so both may be hostile.
 *
 * Sources: https://json-schema.org/draft/2020-12, https://json-schema.org/draft-07
 */
export function validateJson(schema: unknown, value: unknown, compilePattern: CompilePattern): Validation {
  const tooLarge = findSizeError(value);
  if (tooLarge !== undefined) return { result: 'invalid', errors: [{ path: '', message: tooLarge }] };
  const walk = new SchemaWalk(schema, compilePattern);
  walk.check(value);
  if (walk.stopped !== undefined) return { result: 'unchecked', reason: walk.stopped };
  if (walk.errors.length > 0) return { result: 'invalid', errors: walk.errors };
  return { result: 'valid', notes: walk.hasUncheckedPattern ? ['pattern_not_checked'] : [] };
}

/** Returns the limit that a value exceeds, as a message; undefined for a value that can be validated. */
export function findSizeError(value: unknown): string | undefined {
  const { maxDepth, maxBytes } = VALIDATION_LIMITS;
  // Checked first, because JSON.stringify recurses.
  if (isDeeperThan(value, maxDepth)) return `must not be nested deeper than ${maxDepth}`;
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  return bytes > maxBytes ? `must not be larger than ${maxBytes} bytes` : undefined;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (!Array.isArray(value) && !isJsonObject(value)) return false;
  if (depth <= 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, depth - 1));
}
