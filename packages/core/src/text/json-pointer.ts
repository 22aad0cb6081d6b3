import type { JsonObject } from './canonical-json.ts';

/** Returns the keys of a JSON Pointer: https://www.rfc-editor.org/rfc/rfc6901#section-4 */
export function pointerKeys(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the member of a JSON value that keys lead to; undefined when it has none. */
export function memberAt(root: unknown, keys: readonly string[]): unknown {
  let member = root;
  for (const key of keys) {
    if (typeof member !== 'object' || member === null || !Object.hasOwn(member, key)) return undefined;
    member = (member as JsonObject)[key];
  }
  return member;
}

/** Decodes percent-encoded characters; returns a text that is not validly encoded unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
