import { parseJson as parse } from '@winnow/core';

/** Parses a JSON text, ignoring a byte order mark; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  return parse(text.startsWith('\ufeff') ? text.slice(1) : text);
}
