import type { SearchQuery } from '@winnow/contract';
import {
  buildCatalogueOf,
  type Catalogue,
  type Ranker,
  type ToolDocument,
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
  const startedAt = now();
  const { query, documents, places } = readByTool(input) ?? readAtOnce(input);
  const parsedAt = now();
  const catalogue = documents && buildCatalogueOf(documents, ranker);
  return { query, catalogue, places, parseMs: parsedAt - startedAt, indexMs: now() - parsedAt };
}

interface ReadRequest {
  readonly query: SearchQuery;
  /** Undefined when the request has no tools. */
  readonly documents: readonly ToolDocument[] | undefined;
  readonly places: ToolPlaces | undefined;
}

/** Parses the tools one by one, so that each can be found again by its bytes. Undefined when the body needs a full parse. */
function readByTool({ bytes, toolsStart, maxTools }: BuildInput): ReadRequest | undefined {
  if (toolsStart === undefined) return undefined;
  const places = new ToolPlacesTaker();
  const documents: ToolDocument[] = [];
  let at = firstElement(bytes, toolsStart);
  while (at >= 0 && bytes[at] !== CLOSE_ARRAY) {
    const end = endOfObject(bytes, at);
    const text = bytes.subarray(at, end);
    const tool = end < 0 || places.count === maxTools ? undefined : parseTool(text);
    if (tool === undefined) return undefined;
    documents.push(toDocument(tool));
    places.add(text, at - toolsStart);
    at = nextElement(bytes, end);
  }
  const envelope = at < 0 ? undefined : envelopeOf(bytes.subarray(0, toolsStart), bytes.subarray(at + 1));
  return (
    envelope && { query: parseEnvelope(envelope), documents, places: places.finish(at + 1 - toolsStart) }
  );
}

/** Reports what is wrong with a request, too. Its tools can be found again by an id only. */
function readAtOnce({ bytes, maxTools }: BuildInput): ReadRequest {
  const { tools, ...query } = parseRequest(bytes, maxTools);
  return { query, documents: tools?.map(toDocument), places: undefined };
}
