import { isJsonObject, type JsonObject } from '../canonical-json.ts';

/** Whether a value has a type, or one of several types. No value has an unknown type. */
export function matchesType(type: unknown, value: unknown): boolean {
  return [type].flat().some((one) => isOfType(one, value));
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      // 1.0 is one too: https://json-schema.org/draft/2020-12/json-schema-core#section-4.2.1
      return Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return false;
  }
}

/** Returns the constraint that a number violates, if any. */
export function checkNumber(schema: JsonObject, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) return `must be at least ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `must be at most ${maximum}`;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return `must be above ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return `must be below ${exclusiveMaximum}`;
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf))
    return `must be a multiple of ${multipleOf}`;
  return undefined;
}

/** Allows for rounding: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  if (step <= 0) return true;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON * 4;
}

/** Returns the length constraint that a text violates, if any. Counts characters, not code units. */
export function checkText(schema: JsonObject, value: string): string | undefined {
  const { minLength, maxLength } = schema;
  if (typeof minLength !== 'number' && typeof maxLength !== 'number') return undefined;
  const length = Array.from(value).length;
  if (typeof minLength === 'number' && length < minLength)
    return `must have at least ${minLength} characters`;
  if (typeof maxLength === 'number' && length > maxLength) return `must have at most ${maxLength} characters`;
  return undefined;
}
