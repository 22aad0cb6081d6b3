import type { UnreadableReason } from '@winnow/contract';
import type { RequestSpans, RequestText, ToolSection } from '../format/view.ts';
import { hasManyValues, MAX_VALUES } from '../json/has-many-values.ts';
import {
  elementsOf,
  endOfArray,
  isJsonObject,
  type JsonMember,
  type JsonObject,
  membersOf,
  type Span,
  textOf,
  valueSpan,
} from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { BodyBytes } from './body-bytes.ts';
import { type KnownPlace, KnownSections } from './known-sections.ts';
import { parsedBytes, textBytes } from './memory-price.ts';

/** Where a format's requests have what Winnow acts on. */
export interface BodyLayout {
  /** The member of the body that holds the request; the body itself when it is left out. */
  readonly within?: string;
  /** The member of the body that is the list of the history. */
  readonly history: string;
  /** What a text in place of that list stands for, as its only element; without this function such a body has no known shape. */
  readonly readTextHistory?: (text: string) => unknown;
  /** The elements that any other value in place of that list stands for, undefined where there is none; without this function such a body has no known shape. */
  readonly readOtherHistory?: (value: unknown) => readonly unknown[] | undefined;
  /** The member of the body that declares the tools. */
  readonly tools: string;
  /** Reads that member's value: `text` is the same before it was parsed. */
  readonly readTools: (value: unknown, text: string) => ToolSection;
}

/** A request's body, read: the parts of a `RequestView` that every format fills in the same way. */
export interface RequestBody extends RequestText {
  readonly body: JsonObject;
  readonly history: readonly unknown[];
  readonly toolSection: ToolSection | undefined;
  readonly tools: ToolSection['entries'];
}

/** What became of reading a body. */
export type BodyReading =
  | { readonly ok: true; readonly request: RequestBody }
  | { readonly ok: false; readonly reason: UnreadableReason };

/** How much of the tools read last is remembered, for each format. */
const KNOWN_LIMITS = { count: 32, characters: 4 * 1024 * 1024, values: 200_000, fewestCharacters: 4096 };

/**
 * A reader of bodies with this layout: JSON objects with a list as their history. Of anything else it gives the reason why it is none.
 *
 * It remembers the tools read last: a client sends the same ones with every request, and they are often most of the body. Where they come
 * again, they are found in the bytes, and only what stands around them becomes text. All tenants of a process share what is remembered,
 * which is safe: it is found by all of its bytes, and is then equal to what reading them gives, so that no reading says anything about
 * another request but by the time that it takes. What is shared is frozen, and takes at most some 40 MB for each format.
 *
 * The reader takes memory before it uses it, for the text of a body, what parsing makes of it, and the body as it is edited.
 */
export function createBodyReader(layout: BodyLayout): (bytes: BodyBytes, take?: Take) => BodyReading {
  const known = new KnownSections(layout.readTools, KNOWN_LIMITS);
  return (bytes, take = () => true) => {
    const place = known.find(bytes, layout.tools);
    return (place && readAround(bytes, place, layout, take)) ?? readWhole(bytes, layout, known, take);
  };
}

/** Takes memory, in bytes; false where there is none. */
type Take = (bytes: number) => boolean;

const SHORT_OF_MEMORY = { ok: false, reason: 'short_of_memory' } as const;

/**
 * Reads a body whose tools are known, as far as the rest of it shows that they stand where its tools do; undefined otherwise.
 *
 * Nothing of the text behind the tools is needed to find them: so when the rest with a list in their place is an object whose tools are that list,
 * the whole body is the same object with the known ones.
 */
function readAround(
  bytes: BodyBytes,
  place: KnownPlace,
  layout: BodyLayout,
  take: Take,
): BodyReading | undefined {
  const { section, valueCount } = place.known;
  const length = bytes.length - (place.end - place.start);
  // The edited body has tools of its own.
  if (!take(textBytes(length) + place.known.bytes.length)) return SHORT_OF_MEMORY;
  const before = decode(bytes.slice(0, place.start));
  const after = decode(bytes.slice(place.end));
  if (before === undefined || after === undefined) return undefined;
  const text = `${before}${PLACEHOLDER}${after}`;
  // The list in their place counts as a value, which is none of the body's.
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
  bytes.share(place.known.bytes, place.start);
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

/** What stands in the text in the place of known tools. */
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

/** The elements of a body's history, parsed; undefined when it has none. */
function historyIn(body: JsonObject, layout: BodyLayout): readonly unknown[] | undefined {
  const value = body[layout.history];
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return layout.readTextHistory && [layout.readTextHistory(value)];
  return layout.readOtherHistory?.(value);
}

/** The request within a parsed body; undefined when the body is no JSON. */
function parseRequest(text: string, { within }: BodyLayout): unknown {
  const parsed = parseJson(text);
  if (within === undefined || parsed === undefined) return parsed;
  return isJsonObject(parsed) ? (parsed[within] ?? null) : null;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Where the parts of a body are. */
interface BodyParts {
  readonly spans: RequestSpans;
  /** Whether no key of the body is there twice: V8 now and then reads the first of two that are written with an escape. */
  readonly isPlain: boolean;
}

/** Members of a request, and of the body around it: no API has a hundred, and each that nobody knows costs a thousand times its length. */
const MAX_MEMBERS = 1_000;

/**
 * Finds everything in one pass, as histories may be megabytes. Undefined for a request that has more members than are looked at. In a text that is
 * no JSON it finds nonsense.
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

/** The object that is the request. */
function findRoot(
  text: string,
  { within }: BodyLayout,
): { readonly span: Span; readonly isPlain: boolean } | undefined {
  const start = text.indexOf('{');
  if (within === undefined) return { span: { start, end: text.lastIndexOf('}') + 1 }, isPlain: true };
  const members = firstMembers(text, start);
  if (members === undefined) return undefined;
  const span = members.findLast(({ key }) => key === within)?.value ?? {
    start: text.length,
    end: text.length,
  };
  return { span, isPlain: new Set(members.map(({ key }) => key)).size === members.length };
}

/** The members of an object; undefined when there are too many. */
function firstMembers(
  text: string,
  start: number,
  endOfMember: (key: string, start: number) => number = (_, valueStart) => valueSpan(text, valueStart).end,
): readonly JsonMember[] | undefined {
  let count = 0;
  const members = membersOf(text, start, (key, valueStart) => {
    count += 1;
    // Behind the end there is no next one.
    return count > MAX_MEMBERS ? text.length : endOfMember(key, valueStart);
  });
  return count > MAX_MEMBERS ? undefined : members;
}
