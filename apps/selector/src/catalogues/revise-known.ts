import { reviseCatalogue, type ToolDocument, toDocument } from '@winnow/ranking';
import { envelopeOf } from '../receive/envelope.ts';
import { endOfObject, firstElement, nextElement } from '../receive/find-tools.ts';
import { parseEnvelope, parseTool } from '../receive/parse-request.ts';
import type { BuildInput, BuiltRequest } from './build-catalogue.ts';
import type { CachedCatalogue } from './catalogue-cache.ts';
import { compareTools, type PlacedTools } from './compare-tools.ts';
import { ON_WORKERS_FROM_BYTES } from './on-workers-from.ts';
import { hashTool, placeOfHash, reviseToolPlaces } from './tool-places.ts';

/** A known catalogue with the positions of its tools. */
type PlacedCatalogue = CachedCatalogue & PlacedTools;

/**
 * Number of a body's tools to look up in known catalogues: as many as a client may insert before its earlier
 * ones.
 */
const SAMPLED_TOOLS = 64;
/**
 * Range in which they are sampled, from the start of the array: four times the usual size of 64 tools. Bounds
 * the bytes read one by one.
 */
const SAMPLED_BYTES = 256 * 1024;

/**
 * Derives the catalogue of a body from a known one that shares most of its tools, at the cost of the
 * remaining ones.
 *
 * Undefined if there is no such catalogue, or if the body needs a full parse: to report its problems, or
 * because its tools are not where they seem to be. Otherwise it returns and throws like `buildFromBody`.
 * `now` returns milliseconds.
 */
export function reviseKnown(
  { bytes, toolsStart, maxTools }: BuildInput,
  known: readonly CachedCatalogue[],
  now: () => number,
): BuiltRequest | undefined {
  const startedAt = now();
  if (toolsStart === undefined) return undefined;
  const base = nearestOf(known, bytes, toolsStart);
  const comparison =
    base && compareTools(base, bytes, toolsStart, { newBytes: ON_WORKERS_FROM_BYTES, tools: maxTools });
  if (!comparison) return undefined;
  const { tools, offsets } = comparison;
  const end = toolsStart + offsets.at(-1)!;
  const envelope = envelopeOf(bytes.subarray(0, toolsStart), bytes.subarray(end));
  const documents = envelope && readNew(tools);
  if (!documents) return undefined;
  const query = parseEnvelope(envelope);
  const parsedAt = now();
  const catalogue = reviseCatalogue(base.catalogue, documents);
  if (!catalogue) return undefined;
  const places = reviseToolPlaces(base.places, tools, offsets);
  return { query, catalogue, places, parseMs: parsedAt - startedAt, indexMs: now() - parsedAt };
}

/** Returns the known catalogue that holds most of a body's first tools. */
function nearestOf(
  known: readonly CachedCatalogue[],
  body: Buffer,
  start: number,
): PlacedCatalogue | undefined {
  const hashes = hashFirstTools(body, start);
  let nearest: PlacedCatalogue | undefined;
  let most = 0;
  for (const catalogue of known) {
    if (!isPlaced(catalogue)) continue;
    const { places } = catalogue;
    const shared = hashes.filter((hash) => places.hashes[placeOfHash(places, hash)] === hash).length;
    if (shared > 0 && shared >= most) [nearest, most] = [catalogue, shared];
  }
  return nearest;
}

function isPlaced(catalogue: CachedCatalogue): catalogue is PlacedCatalogue {
  return catalogue.places !== undefined;
}

function hashFirstTools(body: Buffer, start: number): number[] {
  // A copy, for the reason given at `ReadingBlocks`.
  const text = Buffer.from(body.subarray(start, start + SAMPLED_BYTES));
  const hashes: number[] = [];
  let at = firstElement(text, 0);
  while (at >= 0 && hashes.length < SAMPLED_TOOLS) {
    const end = endOfObject(text, at);
    if (end < 0) break;
    hashes.push(hashTool(text.subarray(at, end)));
    at = nextElement(text, end);
  }
  return hashes;
}

/** Replaces the bytes of new tools by their documents; undefined if one of them is not a tool. */
function readNew(tools: readonly (number | Buffer)[]): (number | ToolDocument)[] | undefined {
  const read: (number | ToolDocument)[] = [];
  for (const tool of tools) {
    const parsed = typeof tool === 'number' ? tool : parseTool(tool);
    if (parsed === undefined) return undefined;
    read.push(typeof parsed === 'number' ? parsed : toDocument(parsed));
  }
  return read;
}
