import type { Tool } from '@winnow/core';
import type { Pause } from '../pause.ts';
import type { Ranker } from '../ranker.ts';
import { bm25 } from '../rankers/bm25.ts';
import { toDocument } from '../tools/to-document.ts';
import { buildCatalogue, type Catalogue } from './catalogue.ts';
import { LiveCatalogue } from './live-catalogue.ts';

/** Number of tools to index between two pauses: one to three milliseconds. */
const SLICE = 64;

/**
 * Builds the catalogue of tools in slices, so that other requests have their turns; at once with a ranker whose
 * indexes cannot be revised.
 */
export async function buildInTurns(
  tools: readonly Tool[],
  pause: Pause,
  ranker: Ranker = bm25,
): Promise<Catalogue> {
  const isRevisable = ranker.build([]).revisions !== undefined;
  if (tools.length <= SLICE || !isRevisable) return buildCatalogue(tools, ranker);
  const live = new LiveCatalogue(ranker);
  for (let start = 0; start < tools.length; start += SLICE) {
    if (start > 0) await pause();
    const slice = tools.slice(start, start + SLICE);
    live.apply(slice.map((tool, at) => ({ key: keyOf(start + at), document: toDocument(tool) })));
    live.snapshot();
  }
  return live.snapshot().catalogue;
}

/** Returns the key of a tool: keys order ties, so they are in the order of the tools. */
function keyOf(place: number): string {
  return String(place).padStart(8, '0');
}
