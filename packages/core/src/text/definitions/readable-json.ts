import { isJsonObject, type Json } from '../canonical-json.ts';
import { removeInvisible } from '../remove-invisible.ts';

/** Members of a schema whose values are compared with a model's arguments: they must stay as they are. */
const COMPARED = new Set(['enum', 'const', 'default', 'pattern', 'required', '$ref']);

/**
 * Returns a definition whose texts are fit to be read. Member names and compared values stay as they are.
 * Recursive: the depth of the value must be bounded.
 */
export function readableJson<Value>(value: Value): Value;
export function readableJson(value: Json): Json {
  if (typeof value === 'string') return removeInvisible(value);
  if (Array.isArray(value)) return value.map((item: Json) => readableJson(item));
  if (!isJsonObject(value)) return value;
  // `fromEntries` makes a member of every name, `__proto__` included.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, COMPARED.has(name) ? member : readableJson(member)]),
  );
}
