import type { SearchQuery } from '@winnow/core';
import { buildCatalogueOf, type Catalogue, type ToolDocument, toDocument } from '@winnow/ranking';
import { envelopeOf } from '../receive/envelope.ts';
import { CLOSE_ARRAY, endOfObject, firstElement, nextElement } from '../receive/find-tools.ts';
import { parseEnvelope, parseRequest, parseTool } from '../receive/parse-request.ts';
import { type ToolPlaces, ToolPlacesTaker } from './tool-places.ts';

/** A fully parsed request with its catalogue. */
export interface BuiltRequest {
  readonly query: SearchQuery;
  /** Undefined when the request has no tools. */
  readonly catalogue: Catalogue | undefined;
  /** Positions of the tools; undefined if their text cannot identify them. */
  readonly places: ToolPlaces | undefined;
  readonly parseMs: number;
  readonly indexMs: number;
}

/** Input of {@link buildFromBody}. */
export interface BuildInput {
  readonly bytes: Buffer;
  /** Start of the array of tools, if known. */
  readonly toolsStart: number | undefined;
  readonly maxTools: number;
}

/**
 * Parses and checks a request and builds its catalogue without a pause: on the main thread if it is small,
 * otherwise in a worker.
 *
 * Throws like `parseRequest`. `now` returns milliseconds.
 */
export function buildFromBody(input: BuildInput, now: () => number): BuiltRequest {
  const startedAt = now();
  const { query, documents, places } = readByTool(input) ?? readAtOnce(input);
  const parsedAt = now();
  const catalogue = documents && buildCatalogueOf(documents);
  return { query, catalogue, places, parseMs: parsedAt - startedAt, indexMs: now() - parsedAt };
}

interface ReadRequest {
  readonly query: SearchQuery;
  /** Undefined if the request has no tools. */
  readonly documents: readonly ToolDocument[] | undefined;
  readonly places: ToolPlaces | undefined;
}

/**
 * Parses the tools one by one, so that each can be found again by its bytes. Undefined if the body needs a
 * full parse.
 */
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

/** Parses the whole body and reports its problems. Its tools can be found again only by an id. */
function readAtOnce({ bytes, maxTools }: BuildInput): ReadRequest {
  const { tools, ...query } = parseRequest(bytes, maxTools);
  return { query, documents: tools?.map(toDocument), places: undefined };
}
