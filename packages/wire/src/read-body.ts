import { hasManyValues } from './has-many-values.ts';
import {
  elementsOf,
  endOfArray,
  isJsonObject,
  type JsonObject,
  membersOf,
  type Span,
  valueSpan,
} from './json-splice.ts';
import { type KnownArray, KnownArrays } from './known-arrays.ts';
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

/**
 * The lists of tools read last: a client sends the same list with every request, and it is often most of the body.
 *
 * All tenants of a process share it, which is safe: a list is found by all of its characters, and is then equal to what
 * reading them gives, so that no reading says anything about another request but by the time that it takes. What is shared is
 * frozen, and a parsed list takes at most some forty times the memory of its text.
 */
const knownLists = new KnownArrays({ count: 32, characters: 4 * 1024 * 1024, fewestCharacters: 4096 });

/** JSON values in a request: what 20,000 tools with small schemas hold, and a third of a second at most. */
const MAX_VALUES = 500_000;

/** Reads a body that is a JSON object with a list of messages; anything else gives the reason why it is none. */
export function readBody(bytes: Uint8Array): BodyReading {
  const text = decode(bytes);
  if (text === undefined) return { ok: false, reason: 'not_utf8' };
  if (hasManyValues(text, MAX_VALUES)) return { ok: false, reason: 'too_many_values' };
  const { spans, knownTools, isPlain } = findParts(text);
  const body = (isPlain && knownTools ? parseAround(text, spans, knownTools) : undefined) ?? parseJson(text);
  if (body === undefined) return { ok: false, reason: 'not_json' };
  if (!isJsonObject(body) || !Array.isArray(body.messages)) return { ok: false, reason: 'unknown_shape' };
  if (isPlain && knownTools === undefined) rememberTools(text, spans, body.tools);
  return { ok: true, request: { bytes, text, body, spans } };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Where the parts of a body are, and its tools when they are known. */
interface BodyParts {
  readonly spans: RequestSpans;
  readonly knownTools: KnownArray | undefined;
  /** Whether no key of the body is there twice: V8 now and then reads the first of two that are written with an escape. */
  readonly isPlain: boolean;
}

/** Finds everything in one pass, as messages may be megabytes. In a text that is no JSON it finds nonsense. */
function findParts(text: string): BodyParts {
  const elements: Record<'messages' | 'tools', readonly Span[]> = { messages: [], tools: [] };
  let knownTools: KnownArray | undefined;
  const start = text.indexOf('{');
  const members = membersOf(text, start, (key, valueStart) => {
    if (key !== 'messages' && key !== 'tools') return valueSpan(text, valueStart).end;
    const known = key === 'tools' ? knownLists.find(text, valueStart) : undefined;
    if (key === 'tools') knownTools = known;
    elements[key] = known === undefined ? elementsOf(text, valueStart) : movedBy(valueStart, known.elements);
    if (known !== undefined) return valueStart + known.text.length;
    const isArray = text[valueStart] === '[';
    return isArray ? endOfArray(text, valueStart, elements[key]) : valueSpan(text, valueStart).end;
  });
  const spans = new Map<string, Span>(members.map(({ key, value }) => [key, value]));
  const root = { start, end: text.lastIndexOf('}') + 1 };
  return { spans: { root, members: spans, ...elements }, knownTools, isPlain: spans.size === members.length };
}

function movedBy(distance: number, spans: readonly Span[]): Span[] {
  return spans.map(({ start, end }) => ({ start: start + distance, end: end + distance }));
}

/**
 * Parses a body without its tools, which are known; undefined when it is no object.
 *
 * Finding the tools reads nothing behind them. So when the text around them is an object, they were found where it has a
 * value, and the whole text is the same object with that value.
 */
function parseAround(text: string, { members }: RequestSpans, tools: KnownArray): JsonObject | undefined {
  const { start, end } = members.get('tools')!;
  const body = parseJson(`${text.slice(0, start)}[]${text.slice(end)}`);
  return isJsonObject(body) ? { ...body, tools: tools.values } : undefined;
}

function rememberTools(text: string, { members, tools: elements }: RequestSpans, values: unknown): void {
  const span = members.get('tools');
  if (span !== undefined && Array.isArray(values)) knownLists.remember({ text, span, elements, values });
}
