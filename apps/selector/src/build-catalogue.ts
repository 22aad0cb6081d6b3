import type { SearchQuery } from '@winnow/contract';
import { buildCatalogue, type Catalogue, type Ranker } from '@winnow/ranking';
import { endOfArray, isLastTools } from './find-tools.ts';
import { parseRequest } from './parse-request.ts';

/** A request that was parsed in full, and what was made of its tools. */
export interface BuiltRequest {
  readonly query: SearchQuery;
  /** Undefined when the request has no tools. */
  readonly catalogue: Catalogue | undefined;
  /** Offset behind the text of the tools; undefined when their text cannot stand for them. */
  readonly toolsEnd: number | undefined;
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
  const { tools, ...query } = parseRequest(input.bytes, input.maxTools);
  const toolsEnd = tools && endOfPlainTools(input);
  const parsedAt = now();
  const catalogue = tools && buildCatalogue(tools, ranker);
  return { query, catalogue, toolsEnd, parseMs: parsedAt - startedAt, indexMs: now() - parsedAt };
}

/** Where the text of the tools ends, unless the body has a second `tools` member, which would be the one that counts. */
function endOfPlainTools({ bytes, toolsStart }: BuildInput): number | undefined {
  if (toolsStart === undefined) return undefined;
  const end = endOfArray(bytes, toolsStart);
  return isLastTools(bytes.subarray(end)) ? end : undefined;
}
