import { isJsonObject } from '@winnow/testkit';

/**
 * Returns a form of a JSON text that is the same for all texts with the same meaning: members in any order, any
 * white space and escapes. Numbers beyond the exact range keep their digits. A text that is not JSON stays as
 * it is.
 */
export function meaningOf(text: string): string {
  try {
    return write(JSON.parse(text, keepNumbers as never));
  } catch {
    return text;
  }
}

/** A number by its digits, where parsing would lose some. */
class Digits {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

function keepNumbers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return Number.isInteger(value) ? new Digits(context?.source ?? String(value)) : value;
}

function write(value: unknown): string {
  if (value instanceof Digits) return value.digits;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${write(value[key])}`).join(',')}}`;
}
