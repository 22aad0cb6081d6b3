export type { Embedder } from './embedder.ts';
export { EmbeddingError, type EmbeddingFailure } from './embedder.ts';
export {
  embedderAddress,
  embedderProblems,
  embedderSettings,
  readEmbedderAddress,
} from './embedder-settings.ts';
export { Meanings, type SearchMeaning } from './meanings.ts';
export { checkEmbedder, openEmbedder } from './open-embedder.ts';
export {
  createMeaningMetrics,
  openMeanings,
  type SharedMeanings,
} from './open-meanings.ts';
export { PatientMeanings } from './patient-meanings.ts';
export type { MeaningState } from './vector-calls.ts';
export type { Texts } from './vectors.ts';
