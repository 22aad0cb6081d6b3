import { type Validation, validateJson } from '@winnow/core';
import { compileSchemaPattern } from '@winnow/ranking';

/** Validates a value against a JSON Schema, with patterns. */
export function validateValue(schema: unknown, value: unknown): Validation {
  return validateJson(schema, value, compileSchemaPattern);
}
