import { parseJson as parse } from '@winnow/text';

/** What a JSON text says, a byte order mark in front passed over; undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  return parse(text.startsWith('\ufeff') ? text.slice(1) : text);
}
