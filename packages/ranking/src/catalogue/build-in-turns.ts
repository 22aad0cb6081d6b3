import type { Tool } from '@winnow/core';
import type { Pause } from '../pause.ts';
import { toDocument } from '../tools/to-document.ts';
import { buildCatalogue, type Catalogue } from './catalogue.ts';
import { LiveCatalogue } from './live-catalogue.ts';

/** Number of tools to index between two pauses: one to three milliseconds. */
const SLICE = 64;

/** Builds the catalogue of tools in slices, so that other requests have their turns. */
export async function buildInTurns(tools: readonly Tool[], pause: Pause): Promise<Catalogue> {
  if (tools.length <= SLICE) return buildCatalogue(tools);
  const live = new LiveCatalogue();
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
