import type { SearchQuery } from '@winnow/contract';
import {
  buildCatalogueOfTexts,
  type Catalogue,
  DocumentTexts,
  type Ranker,
  readToolFromBytes,
  toDocument,
} from '@winnow/ranking';
import { envelopeOf } from '../receive/envelope.ts';
import { CLOSE_ARRAY, endOfObject, firstElement, nextElement } from '../receive/find-tools.ts';
import { parseEnvelope, parseRequest, parseTool } from '../receive/parse-request.ts';
import { type ToolPlaces, ToolPlacesTaker } from './tool-places.ts';

/** A request that was parsed in full, and what was made of its tools. */
export interface BuiltRequest {
  readonly query: SearchQuery;
  /** Undefined when the request has no tools. */
  readonly catalogue: Catalogue | undefined;
  /** Where the tools stand; undefined when their text cannot stand for them. */
  readonly places: ToolPlaces | undefined;
  readonly parseMs: number;
  readonly indexMs: number;
}

/** What {@link buildFromBody} reads. */
export interface BuildInput {
  readonly bytes: Buffer;
  /** Where the array of tools starts, when that is known. */
  readonly toolsStart: number | undefined;
  readonly maxTools: number;
}

/**
 * Parses and checks a request and builds its catalogue, in one go: on the main thread when it is small, in a worker when not.
 *
 * Throws what `parseRequest` throws. `now` gives milliseconds.
 */
export function buildFromBody(input: BuildInput, ranker: Ranker, now: () => number): BuiltRequest {
  try {
    const startedAt = now();
    const { query, hasTools, places } = readByTool(input) ?? readAtOnce(input);
    const parsedAt = now();
    const catalogue = hasTools ? buildCatalogueOfTexts(texts, ranker) : undefined;
    return { query, catalogue, places, parseMs: parsedAt - startedAt, indexMs: now() - parsedAt };
  } finally {
    texts.clear();
  }
}

/** One for the thread, whose memory is used again: a request is read and built in one go. */
const texts = new DocumentTexts();

interface ReadRequest {
  readonly query: SearchQuery;
  /** Their texts are in `texts`. */
  readonly hasTools: boolean;
  readonly places: ToolPlaces | undefined;
}

/** Reads the tools one by one where they stand, and makes nothing of most but a copy of their texts. Undefined when the body needs a full parse. */
function readByTool({ bytes, toolsStart, maxTools }: BuildInput): ReadRequest | undefined {
  if (toolsStart === undefined) return undefined;
  const places = new ToolPlacesTaker();
  let at = firstElement(bytes, toolsStart);
  while (at >= 0 && bytes[at] !== CLOSE_ARRAY) {
    const end = places.count < maxTools ? readTool(bytes, at) : undefined;
    if (end === undefined) return undefined;
    places.add(bytes.subarray(at, end), at - toolsStart);
    at = nextElement(bytes, end);
  }
  const envelope = at < 0 ? undefined : envelopeOf(bytes.subarray(0, toolsStart), bytes.subarray(at + 1));
  return (
    envelope && { query: parseEnvelope(envelope), hasTools: true, places: places.finish(at + 1 - toolsStart) }
  );
}

/** Adds the texts of the tool at an offset, and gives the offset behind it; undefined when none stands there. */
function readTool(bytes: Buffer, start: number): number | undefined {
  const behind = readToolFromBytes(bytes, start, texts);
  if (behind !== undefined) {
    texts.endDocument();
    return behind;
  }
  // No ordinary one: parsed, and read from objects.
  const end = endOfObject(bytes, start);
  const tool = end < 0 ? undefined : parseTool(bytes.subarray(start, end));
  if (tool === undefined) return undefined;
  texts.add(toDocument(tool));
  return end;
}

/** Says what is wrong with a request, too. Its tools can be found again by an id only. */
function readAtOnce({ bytes, maxTools }: BuildInput): ReadRequest {
  // Of tools that were read before one that could not be.
  texts.clear();
  const { tools, ...query } = parseRequest(bytes, maxTools);
  if (tools === undefined) return { query, hasTools: false, places: undefined };
  for (const tool of tools) texts.add(toDocument(tool));
  return { query, hasTools: true, places: undefined };
}
