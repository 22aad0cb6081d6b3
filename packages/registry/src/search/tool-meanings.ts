import type { MeaningGap } from '@winnow/core';
import type { MeaningSource, ToolDocument } from '@winnow/ranking';
import { meaningText } from '@winnow/ranking';

/** Texts by their numbers, from 0. */
export interface MeaningTexts {
  readonly count: number;
  /** Returns the text at a position; undefined for a removed one. */
  textOf(position: number): string | undefined;
  /** Identity of the numbering: for the same object, each number stands for the same text. */
  readonly table: object;
}

/** The meaning of one search, and the reason if some vectors were lacking. */
export interface SearchMeaning extends MeaningSource {
  readonly degraded: MeaningGap | undefined;
}

/**
 * Source of the vectors of tools and queries; passed in, so that the registry depends on no model.
 *
 * Contract: never throws or rejects; a search waits for a bounded time.
 */
export interface ToolMeanings {
  search(texts: MeaningTexts): SearchMeaning;
  /** Computes missing vectors of texts in the background, once for each object `of`. */
  learn(of: object, texts: MeaningTexts): void;
}

/** Returns the texts that are embedded for these tools. */
export function textsOf(
  documents: readonly Pick<ToolDocument, 'name' | 'description' | 'parameters'>[],
): MeaningTexts {
  return {
    count: documents.length,
    textOf: (position) => meaningText(documents[position]!),
    table: documents,
  };
}
