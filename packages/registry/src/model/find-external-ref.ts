import { isJsonObject } from './json.ts';

/** Keywords whose values are data, where `$ref` has no meaning. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/**
 * Whether a schema refers to another document. Such a reference is never followed.
 *
 * References that begin with `#` or name an `$id` of the document are internal. Recursive: the depth of the schema must
 * be bounded.
 */
export function hasExternalRef(schema: unknown): boolean {
  const references = new Set<string>();
  const declared = new Set<string>();
  collect(schema, references, declared);
  return [...references].some((reference) => !declared.has(reference));
}

function collect(schema: unknown, references: Set<string>, declared: Set<string>): void {
  if (Array.isArray(schema)) {
    for (const item of schema) collect(item, references, declared);
    return;
  }
  if (!isJsonObject(schema)) return;
  const { $ref: reference, $id: id } = schema;
  if (typeof reference === 'string') {
    const document = reference.split('#', 1)[0]!;
    if (document !== '') references.add(document);
  }
  if (typeof id === 'string') declared.add(id.split('#', 1)[0]!);
  for (const [keyword, value] of Object.entries(schema)) {
    if (!DATA_KEYWORDS.has(keyword)) collect(value, references, declared);
  }
}
