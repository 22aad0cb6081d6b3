export {
  buildCatalogue,
  type Catalogue,
  type PackedCatalogue,
  packCatalogue,
  type SelectedTool,
  type Selection,
  selectTools,
  type ToolQuery,
  unpackCatalogue,
} from './catalogue.ts';
export { type ParameterText, type ToolDocument, toDocument } from './document.ts';
export { type Reading, readPattern } from './pattern.ts';
export { noPause, type Pause } from './pause.ts';
export type { Hit, PackedIndex, Ranker, RankerIndex, Ranking, RankOptions } from './ranker.ts';
export { bm25 } from './rankers/bm25.ts';
export { RANKERS, type RankerName } from './rankers/index.ts';
export { wink } from './rankers/wink.ts';
export { summarize } from './summary.ts';
export { tokenize, tokenizeQuery } from './tokenize.ts';
