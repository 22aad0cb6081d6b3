import type { SearchQuery } from '@winnow/contract';
import {
  buildCatalogueOf,
  type Catalogue,
  type Ranker,
  type ToolDocument,
  toDocument,
} from '@winnow/ranking';
import { envelopeOf } from '../receive/envelope.ts';
import { parseEnvelope, parseRequest, parseTool } from '../receive/parse-request.ts';
import { endOfTools, findToolPlaces, type ToolPlaces, toolBytes } from './tool-places.ts';

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
  readonly documents: readonly ToolDocument[] | undefined;
  readonly places: ToolPlaces | undefined;
}

/**
 * Reads the tools one by one where they stand, so that what a tool is parsed into is garbage before the next one is parsed: for large bodies
 * that is half of the cost of parsing. Undefined when the body needs a full parse.
 */
function readByTool({ bytes, toolsStart, maxTools }: BuildInput): ReadRequest | undefined {
  const places = toolsStart === undefined ? undefined : findToolPlaces(bytes, toolsStart);
  if (toolsStart === undefined || places === undefined || places.byHash.length > maxTools) return undefined;
  const end = toolsStart + endOfTools(places);
  const envelope = envelopeOf(bytes.subarray(0, toolsStart), bytes.subarray(end));
  if (envelope === undefined) return undefined;
  const documents: ToolDocument[] = [];
  for (let tool = 0; tool < places.byHash.length; tool++) {
    const parsed = parseTool(toolBytes(bytes.subarray(toolsStart, end), places.offsets, tool));
    if (parsed === undefined) return undefined;
    documents.push(toDocument(parsed));
  }
  return { query: parseEnvelope(envelope), documents, places };
}

/** Says what is wrong with a request, too. Its tools can be found again by an id only. */
function readAtOnce({ bytes, maxTools }: BuildInput): ReadRequest {
  const { tools, ...query } = parseRequest(bytes, maxTools);
  return { query, documents: tools?.map(toDocument), places: undefined };
}
