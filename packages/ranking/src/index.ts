export { summarize } from '@winnow/core';
export { BM25_DEFAULTS, type Bm25Parameters } from './bm25/parameters.ts';
export {
  buildCatalogue,
  buildCatalogueOf,
  buildInTurns,
  type Catalogue,
  LiveCatalogue,
  type LiveChange,
  type LiveSnapshot,
} from './catalogue/catalogue.ts';
export {
  cosine,
  type Int8Vector,
  MAX_LOOKED_THROUGH,
  type MeaningSource,
  type MeaningVectors,
  type NearestSearch,
  type NearTool,
  nearestOf,
  toInt8Vector,
  VectorTable,
} from './meaning/meaning-source.ts';
export { MAX_NUMBERS_LOOKED_AT, rankWithMeaning } from './meaning/rank-with-meaning.ts';
export { compileSchemaPattern } from './pattern/compile-regex.ts';
export { regexFault } from './pattern/pattern.ts';
export type {
  Hit,
  LaterHits,
  Ranker,
  RankerIndex,
} from './ranker.ts';
export { noPause, type Pause } from './ranker.ts';
export { bm25, createBm25 } from './rankers/bm25.ts';
export { RANKER_NAMES, RANKERS } from './rankers/rankers.ts';
export { wink } from './rankers/wink.ts';
export type { Certainty } from './search/certainty.ts';
export {
  explainPositions,
  explainTools,
  type ToolExplanation,
} from './search/explain-tools.ts';
export { type FindQuery, findTools } from './search/find-tools.ts';
export { MOST_NEXT, SURE_OF_EACH, splitPage } from './search/merge-found.ts';
export {
  type Choice,
  chooseTools,
  type Match,
  matchOf,
  NAMED_OF_EACH,
  type PatternSelection,
  type SelectedTool,
  type Selection,
  selectByPattern,
  selectTools,
  summarized,
  type ToolQuery,
} from './search/select-tools.ts';
export { tellingSentences, tokenize, tokenizeQuery, tokenizeTelling } from './text/tokenize.ts';
export { readTool } from './tools/read-tool.ts';
export { EXAMPLES_KEY, toDocument } from './tools/to-document.ts';
export type { ToolDocument } from './tools/tool-document.ts';
export { meaningText } from './tools/tool-document.ts';
