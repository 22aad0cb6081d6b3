export {
  buildCatalogue,
  buildCatalogueOf,
  buildCatalogueOfTexts,
  type Catalogue,
  type PackedCatalogue,
  packCatalogue,
  unpackCatalogue,
} from './catalogue.ts';
export { type Choice, chooseTools, type Match } from './choose.ts';
export {
  type AskedConcept,
  type AskedTerm,
  Collection,
  type CollectionView,
  type CountedDocument,
  type SampledDocument,
} from './collection.ts';
export { compileSchemaPattern } from './compile-regex.ts';
export { type ParameterText, type ToolDocument, toDocument } from './document.ts';
export { DOCUMENT_TERMS_FORM, type DocumentTerm, type TermPlace, termsOf } from './document-terms.ts';
export { DocumentTexts } from './document-texts.ts';
export {
  explainPositions,
  explainTools,
  type PositionExplanation,
  type ToolExplanation,
} from './explain-tools.ts';
export { type FindQuery, type Found, findTools } from './find-tools.ts';
export type { PieceSink } from './from-bytes/piece-sink.ts';
export { readToolFromBytes } from './from-bytes/read-tool-from-bytes.ts';
export { LiveCatalogue, type LiveChange, type LiveSnapshot } from './live-catalogue.ts';
export { cosine, type Int8Vector, toInt8Vector } from './meaning/int8-vector.ts';
export {
  MAX_LOOKED_THROUGH,
  type MeaningSource,
  type MeaningVectors,
  type NearestSearch,
  type NearTool,
} from './meaning/meaning-source.ts';
export { type NearestOf, nearestOf } from './meaning/nearest-of.ts';
export { MAX_NUMBERS_LOOKED_AT, NEAREST, RERANKED, rankWithMeaning } from './meaning/rank-with-meaning.ts';
export { tellingSentences } from './meaning/telling-sentences.ts';
export { meaningText } from './meaning/tool-text.ts';
export { VectorTable } from './meaning/vector-table.ts';
export { type Reading, readPattern } from './pattern.ts';
export { noPause, type Pause } from './pause.ts';
export type {
  Hit,
  IndexChange,
  LaterHits,
  PackedIndex,
  Ranker,
  RankerIndex,
  Ranking,
  RankOptions,
  RevisableIndex,
} from './ranker.ts';
export { bm25 } from './rankers/bm25.ts';
export { RANKERS, type RankerName } from './rankers/index.ts';
export { wink } from './rankers/wink.ts';
export { readTool, type ToolReading } from './read-tool.ts';
export { regexFault } from './regex-fault.ts';
export { reviseCatalogue } from './revise-catalogue.ts';
export { type SelectedTool, type Selection, selectTools, type ToolQuery } from './select-tools.ts';
export { summarize } from './summary.ts';
export { tokenize, tokenizeQuery, tokenizeTelling } from './tokenize.ts';
