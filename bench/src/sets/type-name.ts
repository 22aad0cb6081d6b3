/** Names of JSON schema types in data sets, in lower case. */
const TYPES: Readonly<Record<string, string>> = {
  str: 'string',
  char: 'string',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  list: 'array',
  arraylist: 'array',
  tuple: 'array',
  dict: 'object',
  hashmap: 'object',
};
const KNOWN = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object']);

/** Returns a type of JSON schema; `string` for unknown names ("Enum", "Date", nothing). */
export function typeName(given: unknown): string {
  const name = String(given).toLowerCase();
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : name;
  return type !== undefined && KNOWN.has(type) ? type : 'string';
}
