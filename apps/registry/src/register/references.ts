import { decodePercent, memberAt, pointerKeys } from '@winnow/core';
import { isJsonObject, type Json, type JsonObject } from '@winnow/registry';

/** A reference that leads out of the document, to nothing, or in a circle; the message is a sentence. */
export class UnreadableReference extends Error {}

/** The references of one OpenAPI document. */
export class References {
  readonly #document: JsonObject;

  constructor(document: JsonObject) {
    this.#document = document;
  }

  /** Returns the value itself, or the target of its `$ref`. Throws an `UnreadableReference`. */
  follow(value: Json | undefined): Json | undefined {
    const seen = new Set<string>();
    let reached = value;
    while (isJsonObject(reached) && typeof reached.$ref === 'string') {
      const { $ref } = reached;
      if (seen.has($ref)) throw new UnreadableReference(`${$ref} refers to itself.`);
      seen.add($ref);
      reached = this.#find($ref);
    }
    return reached;
  }

  /**
   * Returns a self-contained schema: its `$defs` have all targets of its references. Throws an
   * `UnreadableReference`.
   */
  complete(schema: JsonObject): JsonObject {
    const names = new Map<string, string>();
    const definitions = new Map<string, Json>();
    const relink = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(relink);
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key,
          key === '$ref' && typeof member === 'string' ? define(member) : relink(member),
        ]),
      );
    };
    const define = (reference: string): string => {
      const known = names.get(reference);
      if (known !== undefined) return known;
      const name = freeName(reference, definitions);
      const link = `#/$defs/${name}`;
      names.set(reference, link);
      // In its place before it is read: it may refer to itself.
      definitions.set(name, true);
      definitions.set(name, relink(this.#find(reference)));
      return link;
    };
    const whole = relink(schema) as JsonObject;
    return names.size === 0 ? whole : { ...whole, $defs: Object.fromEntries(definitions) };
  }

  #find(reference: string): Json {
    if (!reference.startsWith('#'))
      throw new UnreadableReference(`${reference} is in another document. Make one document of them first.`);
    const found = memberAt(this.#document, keysOf(reference)) as Json | undefined;
    if (found === undefined) throw new UnreadableReference(`${reference} leads to nothing.`);
    return found;
  }
}

function keysOf(reference: string): string[] {
  return pointerKeys(decodePercent(reference.slice(1)));
}

/** The last part of a reference, with characters that need no escape, and a number if it is taken. */
function freeName(reference: string, taken: ReadonlyMap<string, Json>): string {
  const plain = (keysOf(reference).at(-1) ?? '').replace(/[^\w.-]/g, '_') || 'schema';
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? plain : `${plain}_${number}`;
    if (!taken.has(name)) return name;
  }
}
