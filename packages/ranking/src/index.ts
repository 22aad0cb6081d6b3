export { summarize } from '@winnow/core';
export { BM25_DEFAULTS, type Bm25Parameters } from './bm25/parameters.ts';
export { buildInTurns } from './catalogue/build-in-turns.ts';
export {
  buildCatalogue,
  buildCatalogueOf,
  type Catalogue,
} from './catalogue/catalogue.ts';
export { LiveCatalogue, type LiveChange, type LiveSnapshot } from './catalogue/live-catalogue.ts';
export { cosine, type Int8Vector, toInt8Vector } from './meaning/int8-vector.ts';
export {
  MAX_LOOKED_THROUGH,
  type MeaningSource,
  type MeaningVectors,
  type NearestSearch,
  type NearTool,
} from './meaning/meaning-source.ts';
export { nearestOf } from './meaning/nearest-of.ts';
export { MAX_NUMBERS_LOOKED_AT, rankWithMeaning } from './meaning/rank-with-meaning.ts';
export { tellingSentences } from './meaning/telling-sentences.ts';
export { VectorTable } from './meaning/vector-table.ts';
export { compileSchemaPattern } from './pattern/compile-regex.ts';
export { regexFault } from './pattern/regex-fault.ts';
export { noPause, type Pause } from './pause.ts';
export type {
  Hit,
  LaterHits,
  Ranker,
  RankerIndex,
} from './ranker.ts';
export { bm25, createBm25 } from './rankers/bm25.ts';
export { RANKER_NAMES, RANKERS } from './rankers/rankers.ts';
export { wink } from './rankers/wink.ts';
export type { Certainty } from './search/certainty.ts';
export { type Choice, chooseTools, type Match } from './search/choose.ts';
export {
  explainPositions,
  explainTools,
  type ToolExplanation,
} from './search/explain-tools.ts';
export { type FindQuery, findTools } from './search/find-tools.ts';
export { type SelectedTool, type Selection, selectTools, type ToolQuery } from './search/select-tools.ts';
export { tokenize, tokenizeQuery, tokenizeTelling } from './text/tokenize.ts';
export { meaningText } from './tools/meaning-text.ts';
export { readTool } from './tools/read-tool.ts';
export { toDocument } from './tools/to-document.ts';
export type { ToolDocument } from './tools/tool-document.ts';
