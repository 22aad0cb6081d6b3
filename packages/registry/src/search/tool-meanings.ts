import type { MeaningSource, ToolDocument } from '@winnow/ranking';
import { meaningText } from '@winnow/ranking';

/** Texts by their numbers, from 0. */
export interface MeaningTexts {
  readonly count: number;
  /** Undefined for one that is not there any more. */
  textOf(position: number): string | undefined;
  /** What the numbers are of: as long as it is the same, each stands for the same text. */
  readonly table: object;
}

/** The meaning of one search, and whether some of it was not there in time. */
export interface SearchMeaning extends MeaningSource {
  readonly isDegraded: boolean;
}

/**
 * Where the vectors of tools and queries come from; passed in, so that the registry knows of no model.
 *
 * Contract: nothing here throws or rejects; a search waits for a bounded time.
 */
export interface ToolMeanings {
  search(texts: MeaningTexts): SearchMeaning;
  /** Has the vectors of texts worked out in the background, where they are not known; what the same object `of` stands for only once. */
  learn(of: object, texts: MeaningTexts): void;
}

/** The texts by which the meaning of these tools is known. */
export function textsOf(
  documents: readonly Pick<ToolDocument, 'name' | 'description' | 'parameters'>[],
): MeaningTexts {
  return {
    count: documents.length,
    textOf: (position) => meaningText(documents[position]!),
    table: documents,
  };
}
