import { matchScore, WHOLE_SCORE } from '@winnow/attach';
import { buildCatalogueOf, findTools, noPause } from '@winnow/ranking';
import { documentOf } from '../retrieval/measure-set.ts';
import { readSets } from '../retrieval/read-sets.ts';

/** Scores of one public set. Shares are from 0 to 1. */
export interface ScoresOfSet {
  readonly set: string;
  readonly tools: number;
  readonly queries: number;
  /** Number of right tools among the first ten found. */
  readonly golds: number;
  /**
   * For these and for all other tools among the first ten: the share with a score of at least 35, 50 and 70.
   */
  readonly goldShares: readonly number[];
  readonly otherShares: readonly number[];
}

export const SCORES = [35, 50, 70] as const;

/** The sets that the curve is fitted to. */
const SETS = ['bfcl', 'stabletoolbench', 'restbench', 'toollinkos', 'metatool', 'sealtools'];

const MOST_WORDS = 12;
const FIRST = 10;

/** Scores the first ten results for every query of up to twelve words. Omits sets without such queries. */
export async function measureScores(directory: string): Promise<readonly ScoresOfSet[]> {
  const rows: ScoresOfSet[] = [];
  for (const { name, tools, queries } of readSets(directory, SETS)) {
    const catalogue = buildCatalogueOf(tools.map(documentOf));
    const short = queries.filter(({ text }) => text.trim().split(/\s+/).length <= MOST_WORDS);
    const golds: number[] = [];
    const others: number[] = [];
    for (const { text, gold } of short) {
      const query = { pattern: text, searchType: 'keyword', limit: FIRST } as const;
      const { hits } = await findTools(catalogue, query, noPause);
      const covered = catalogue.index.cover!(
        text,
        hits.map(({ position }) => position),
      );
      for (const { position, matchedOn } of hits) {
        const isNamed = matchedOn.includes('exact_name');
        const score = isNamed ? WHOLE_SCORE : matchScore(covered.get(position) ?? 0);
        (gold.has(tools[position]!.name) ? golds : others).push(score);
      }
    }
    if (golds.length === 0) continue;
    const sharesOf = (scores: readonly number[]) =>
      SCORES.map((least) => scores.filter((score) => score >= least).length / scores.length);
    rows.push({
      set: name,
      tools: tools.length,
      queries: short.length,
      golds: golds.length,
      goldShares: sharesOf(golds),
      otherShares: sharesOf(others),
    });
  }
  return rows;
}
