import { isJsonObject } from '../canonical-json.ts';
import { decodePercent } from '../decode-percent.ts';
import { memberAt, pointerKeys } from '../json-pointer.ts';

/** Longest pointer that is followed; real ones have two or three short steps. */
const MAX_POINTER_CHARS = 512;

/**
 * Resolves references within one document: by JSON Pointer, by `$anchor`, and by a declared `$id`.
 *
 * References are compared as written. A relative `$id` is not resolved against its base.
 */
export class SchemaReferences {
  readonly #root: unknown;
  #named: Map<string, unknown> | undefined;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** Returns the referenced schema; undefined when the document does not have it. */
  resolve(reference: string): { readonly schema: unknown } | undefined {
    const hash = reference.indexOf('#');
    const [document, fragment] =
      hash < 0 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
    const root = document === '' ? { schema: this.#root } : this.#find(document);
    if (root === undefined || fragment === '') return root;
    if (fragment.startsWith('/')) return followPointer(root.schema, fragment);
    return this.#find(`#${fragment}`);
  }

  #find(name: string): { schema: unknown } | undefined {
    if (this.#named === undefined) {
      this.#named = new Map();
      collectNames(this.#root, this.#named);
    }
    return this.#named.has(name) ? { schema: this.#named.get(name) } : undefined;
  }
}

function collectNames(schema: unknown, named: Map<string, unknown>): void {
  if (Array.isArray(schema)) for (const item of schema) collectNames(item, named);
  if (!isJsonObject(schema)) return;
  const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema;
  // Draft-07 declares an anchor as an `$id` that is only a fragment.
  if (typeof id === 'string') named.set(id.replace(/#$/, ''), schema);
  for (const name of [anchor, dynamicAnchor]) if (typeof name === 'string') named.set(`#${name}`, schema);
  for (const value of Object.values(schema)) collectNames(value, named);
}

/** https://www.rfc-editor.org/rfc/rfc6901#section-6 */
function followPointer(root: unknown, pointer: string): { schema: unknown } | undefined {
  if (pointer.length > MAX_POINTER_CHARS) return undefined;
  const schema = memberAt(root, pointerKeys(decodePercent(pointer)));
  return schema === undefined ? undefined : { schema };
}
