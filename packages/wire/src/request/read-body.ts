import {
  elementsOf,
  endOfArray,
  type JsonMember,
  membersOf,
  type Span,
  textOf,
  type UnreadableReason,
  valueSpan,
} from '@winnow/core';
import type { ReadOptions } from '../format/request-parts.ts';
import type { RequestSpans, RequestText, ToolSection } from '../format/view.ts';
import type { BodyBytes } from '../json/body-bytes.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json/json-value.ts';
import { countValues, hasManyValues, MAX_VALUES } from '../json/scan-json.ts';
import { type KnownPlace, KnownSections } from './known-sections.ts';

/** The members that hold the parts of a format's requests. */
export interface BodyLayout {
  /** The path of the member that holds the request; the body itself when omitted. */
  readonly within?: readonly string[];
  /** The member of the body with the list of the history. */
  readonly history: string;
  /**
   * Returns the only element of the history for a text in place of the list; without this function, such a
   * body has an unknown shape.
   */
  readonly readTextHistory?: (text: string) => unknown;
  /**
   * Returns the elements of the history for any other value in place of the list, or undefined; without this
   * function, such a body has an unknown shape.
   */
  readonly readOtherHistory?: (value: unknown) => readonly unknown[] | undefined;
  /** The member of the body that declares the tools. */
  readonly tools: string;
  /** Reads that member's value; `text` is its unparsed text. */
  readonly readTools: (value: unknown, text: string) => ToolSection;
}

/** The parts of a `RequestView` that every format reads in the same way. */
export interface RequestBody extends RequestText {
  readonly body: JsonObject;
  readonly history: readonly unknown[];
  readonly toolSection: ToolSection | undefined;
  readonly tools: ToolSection['entries'];
}

/** The result of reading a body. */
export type BodyReading =
  | { readonly ok: true; readonly request: RequestBody }
  | { readonly ok: false; readonly reason: UnreadableReason };

/** The limits of the remembered tool sections, for each format. */
const KNOWN_LIMITS = { count: 32, characters: 4 * 1024 * 1024, values: 200_000, fewestCharacters: 4096 };

/**
 * Returns a reader of bodies with this layout: JSON objects with a list as their history. For any other body
 * it returns the reason for the failure.
 *
 * The reader remembers recent tools: a client sends the same ones with every request, and they are often most
 * of the body. Repeated tools are found in the bytes, and only the rest becomes text. All tenants of a
 * process share the remembered sections. That is safe, because a section is found by all of its bytes and
 * equals the result of reading them, so another tenant can observe only the time that reading takes. Shared
 * sections are frozen, and take at most about 40 MB per format.
 *
 * The reader reserves memory before it uses it: for the body's text, its parsed values, and the edited body.
 */
export function createBodyReader(
  layout: BodyLayout,
): (bytes: BodyBytes, options: Pick<ReadOptions, 'take'>) => BodyReading {
  const known = new KnownSections(layout.readTools, KNOWN_LIMITS);
  return (bytes, { take = () => true }) => {
    const place = known.find(bytes, layout.tools);
    return (place && readAround(bytes, place, layout, take)) ?? readWhole(bytes, layout, known, take);
  };
}

/** Reserves memory, in bytes; returns false when there is too little. */
type Take = (bytes: number) => boolean;

const SHORT_OF_MEMORY = { ok: false, reason: 'short_of_memory' } as const;

/**
 * Reads a body with known tools, if the rest proves that they are the value of its tools; otherwise
 * undefined.
 *
 * The proof: replace the known tools by an empty list. If the result is an object whose tools are that list,
 * the whole body is the same object with the known tools.
 */
function readAround(
  bytes: BodyBytes,
  place: KnownPlace,
  layout: BodyLayout,
  take: Take,
): BodyReading | undefined {
  const { section, valueCount } = place.known;
  const length = bytes.length - (place.end - place.start);
  // The edited body has its own copy of the tools.
  if (!take(textBytes(length) + place.known.bytes.length)) return SHORT_OF_MEMORY;
  const before = decode(bytes.slice(0, place.start));
  const after = decode(bytes.slice(place.end));
  if (before === undefined || after === undefined) return undefined;
  const text = `${before}${PLACEHOLDER}${after}`;
  // The empty list counts as one value that the body does not have.
  if (hasManyValues(text, MAX_VALUES - valueCount + 1)) return { ok: false, reason: 'too_many_values' };
  if (!take(parsedBytes(text, length))) return SHORT_OF_MEMORY;
  const parts = findParts(text, layout);
  if (parts === undefined) return { ok: false, reason: 'too_many_values' };
  const { spans, isPlain } = parts;
  const isInPlace =
    spans.tools?.start === before.length && spans.tools.end === before.length + PLACEHOLDER.length;
  const rest = isPlain && isInPlace ? parseRequest(text, layout) : undefined;
  if (!isJsonObject(rest)) return undefined;
  const body = { ...rest, [layout.tools]: section.value };
  const history = historyIn(body, layout);
  if (history === undefined) return { ok: false, reason: 'unknown_shape' };
  bytes.letGo(() => bytesAround(text, before.length, place.known.bytes));
  return {
    ok: true,
    request: {
      bytes,
      text,
      toolBytes: place.known.bytes,
      body,
      spans,
      history,
      toolSection: section,
      tools: section.entries,
    },
  };
}

/** Returns the bytes of a body with known tools, for which a placeholder stands in its text at a position. */
function bytesAround(text: string, at: number, tools: Buffer): readonly Buffer[] {
  return [Buffer.from(text.slice(0, at)), tools, Buffer.from(text.slice(at + PLACEHOLDER.length))];
}

/** The text in place of known tools. */
const PLACEHOLDER = '[]';

function readWhole(bytes: BodyBytes, layout: BodyLayout, known: KnownSections, take: Take): BodyReading {
  if (!take(textBytes(bytes.length))) return SHORT_OF_MEMORY;
  const text = decode(bytes.whole);
  if (text === undefined) return { ok: false, reason: 'not_utf8' };
  if (hasManyValues(text, MAX_VALUES)) return { ok: false, reason: 'too_many_values' };
  if (!take(parsedBytes(text, bytes.length))) return SHORT_OF_MEMORY;
  const parts = findParts(text, layout);
  if (parts === undefined) return { ok: false, reason: 'too_many_values' };
  const { spans, isPlain } = parts;
  const body = parseRequest(text, layout);
  if (body === undefined) return { ok: false, reason: 'not_json' };
  const history = isJsonObject(body) ? historyIn(body, layout) : undefined;
  if (!isJsonObject(body) || history === undefined) return { ok: false, reason: 'unknown_shape' };
  const toolSection = spans.tools && known.read(body[layout.tools], textOf(text, spans.tools), { isPlain });
  const tools = toolSection?.entries ?? [];
  return {
    ok: true,
    request: { bytes, text, toolBytes: undefined, body, spans, history, toolSection, tools },
  };
}

/** Returns the parsed elements of a body's history; undefined when it has none. */
function historyIn(body: JsonObject, layout: BodyLayout): readonly unknown[] | undefined {
  const value = body[layout.history];
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return layout.readTextHistory && [layout.readTextHistory(value)];
  return layout.readOtherHistory?.(value);
}

/** Returns the request in a parsed body; undefined when the body is not JSON. */
function parseRequest(text: string, { within = [] }: BodyLayout): unknown {
  const parsed = parseJson(text);
  return within.reduce<unknown>((outer, key) => {
    if (outer === undefined) return undefined;
    return isJsonObject(outer) ? (outer[key] ?? null) : null;
  }, parsed);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The positions of a body's parts. */
interface BodyParts {
  readonly spans: RequestSpans;
  /**
   * Whether all keys of the body are different: for a duplicate key with an escape, V8 sometimes reads the
   * first one.
   */
  readonly isPlain: boolean;
}

/**
 * The most members of a request, and of the body around it: no API has a hundred, and an unknown member costs
 * a thousand times its length.
 */
const MAX_MEMBERS = 1_000;

/**
 * Finds all parts in one pass, because histories may be megabytes. Undefined for a request with too many
 * members. The result is meaningless for a text that is not JSON.
 */
function findParts(text: string, layout: BodyLayout): BodyParts | undefined {
  let history: readonly Span[] = [];
  const root = findRoot(text, layout);
  if (root === undefined) return undefined;
  const members = firstMembers(text, root.span.start, (key, valueStart) => {
    if (key !== layout.history) return valueSpan(text, valueStart).end;
    if (text[valueStart] === '[') {
      history = elementsOf(text, valueStart);
      return endOfArray(text, valueStart, history);
    }
    const value = valueSpan(text, valueStart);
    history = text[valueStart] === '"' || text[valueStart] === '{' ? [value] : [];
    return value.end;
  });
  if (members === undefined) return undefined;
  const spans = new Map<string, Span>(members.map(({ key, value }) => [key, value]));
  return {
    spans: { root: root.span, members: spans, history, tools: spans.get(layout.tools) },
    isPlain: root.isPlain && spans.size === members.length,
  };
}

/** Returns the object that is the request. */
function findRoot(
  text: string,
  { within = [] }: BodyLayout,
): { readonly span: Span; readonly isPlain: boolean } | undefined {
  let span: Span = { start: text.indexOf('{'), end: text.lastIndexOf('}') + 1 };
  let isPlain = true;
  for (const step of within) {
    const members = firstMembers(text, span.start);
    if (members === undefined) return undefined;
    isPlain &&= new Set(members.map(({ key }) => key)).size === members.length;
    span = members.findLast(({ key }) => key === step)?.value ?? { start: text.length, end: text.length };
  }
  return { span, isPlain };
}

/** Returns the members of an object; undefined when there are too many. */
function firstMembers(
  text: string,
  start: number,
  endOfMember: (key: string, start: number) => number = (_, valueStart) => valueSpan(text, valueStart).end,
): readonly JsonMember[] | undefined {
  let count = 0;
  const members = membersOf(text, start, (key, valueStart) => {
    count += 1;
    // Stops at the end of the text.
    return count > MAX_MEMBERS ? text.length : endOfMember(key, valueStart);
  });
  return count > MAX_MEMBERS ? undefined : members;
}

/**
 * The memory of a parsed JSON value without its text, in bytes. Measured with Node 24: 8 to 56 bytes, 22 in
 * lists of tools, and 90 only if each value has a long unique key, whose text is counted separately.
 */
const VALUE_BYTES = 64;

/**
 * The longest text whose values are not counted: even the densest values take only sixteen times its length.
 */
const SMALL_CHARS = 32 * 1024;
const SMALL_VALUE_BYTES = 8;

/** Returns the memory of a body's text and of its edited bytes, for a body of this length in bytes. */
function textBytes(length: number): number {
  return 2 * length;
}

/**
 * Returns the memory that parsing a text adds, in bytes. `length` is the text's length in bytes. A text with
 * characters other than ASCII may take two bytes per character, and so may its parsed strings.
 */
function parsedBytes(text: string, length: number): number {
  const width = text.length === length ? 1 : 2;
  const texts = (width - 1) * text.length + width * text.length;
  return texts + valueBytes(text);
}

function valueBytes(text: string): number {
  return text.length <= SMALL_CHARS ? SMALL_VALUE_BYTES * text.length : VALUE_BYTES * countValues(text);
}
