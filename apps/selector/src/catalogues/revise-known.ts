import { reviseCatalogue, type ToolDocument, toDocument } from '@winnow/ranking';
import { envelopeOf } from '../receive/envelope.ts';
import { endOfObject, firstElement, nextElement } from '../receive/find-tools.ts';
import { parseEnvelope, parseTool } from '../receive/parse-request.ts';
import type { BuildInput, BuiltRequest } from './build-catalogue.ts';
import type { CachedCatalogue } from './catalogue-cache.ts';
import { compareTools, type PlacedTools } from './compare-tools.ts';
import { ON_WORKERS_FROM_BYTES } from './on-workers-from.ts';
import { hashTool, placeOfHash, reviseToolPlaces } from './tool-places.ts';

/** A known catalogue whose tools can be told apart in its text. */
type PlacedCatalogue = CachedCatalogue & PlacedTools;

/** Tools of a body that are looked for in the known catalogues: as many as a client may put before those that it had. */
const SAMPLED_TOOLS = 64;
/** And where they stand, behind the start of the array: four times what 64 tools usually take. Bounds what is read byte by byte. */
const SAMPLED_BYTES = 256 * 1024;

/**
 * Makes the catalogue of a body out of a known one that shares most of its tools, at the cost of those that it does not share.
 *
 * Undefined when there is no such catalogue, or the body needs a full parse: to say what is wrong with it, or because its tools are not where they seem to be.
 * Otherwise it gives what `buildFromBody` gives, and throws what it throws. `now` gives milliseconds.
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

/** The known catalogue that holds most of a body's first tools. */
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
  // A copy, for the reason that `ReadingBlocks` gives.
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

/** The documents of new tools in the places of their bytes; undefined when one of them is no tool. */
function readNew(tools: readonly (number | Buffer)[]): (number | ToolDocument)[] | undefined {
  const read: (number | ToolDocument)[] = [];
  for (const tool of tools) {
    const parsed = typeof tool === 'number' ? tool : parseTool(tool);
    if (parsed === undefined) return undefined;
    read.push(typeof parsed === 'number' ? parsed : toDocument(parsed));
  }
  return read;
}
