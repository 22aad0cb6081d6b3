import {
  elementsOf,
  endOfArray,
  isJsonObject,
  type JsonObject,
  membersOf,
  type Span,
  valueSpan,
} from './json-splice.ts';
import { parseJson } from './parse-json.ts';
import type { RequestSpans, UnreadableReason } from './view.ts';

/** A request's body, read: the parts of a `RequestView` that every format fills in the same way. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly body: JsonObject;
  readonly spans: RequestSpans;
}

/** The answer of `readBody`. */
export type BodyReading =
  | { readonly ok: true; readonly request: RequestBody }
  | { readonly ok: false; readonly reason: UnreadableReason };

/** Reads a body that is a JSON object with a list of messages; anything else gives the reason why it is none. */
export function readBody(bytes: Uint8Array): BodyReading {
  const text = decode(bytes);
  if (text === undefined) return { ok: false, reason: 'not_utf8' };
  const body = parseJson(text);
  if (body === undefined) return { ok: false, reason: 'not_json' };
  if (!isJsonObject(body) || !Array.isArray(body.messages)) return { ok: false, reason: 'unknown_shape' };
  return { ok: true, request: { bytes, text, body, spans: findSpans(text) } };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Finds everything in one pass, as messages may be megabytes. */
function findSpans(text: string): RequestSpans {
  let messages: Span[] = [];
  const start = text.indexOf('{');
  const members = membersOf(text, start, (key, valueStart) => {
    if (key !== 'messages' || text[valueStart] !== '[') return valueSpan(text, valueStart).end;
    messages = elementsOf(text, valueStart);
    return endOfArray(text, valueStart, messages);
  });
  const spans = new Map<string, Span>(members.map(({ key, value }) => [key, value]));
  return { root: { start, end: text.lastIndexOf('}') + 1 }, members: spans, messages };
}
