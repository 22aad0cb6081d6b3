export type { EmbedCall, Embedder } from './embedder.ts';
export { EMBEDDER_FORMS, readEmbedderAddress } from './embedder-address.ts';
export {
  type EmbedderSettings,
  embedderAddress,
  embedderProblems,
  embedderSettings,
} from './embedder-settings.ts';
export { EMBEDDING_FAILURES, EmbeddingError, type EmbeddingFailure } from './embedding-error.ts';
export type { MeaningState } from './meaning-health.ts';
export { createMeaningMetrics, type MeaningMeters } from './meaning-metrics.ts';
export { Meanings, type MeaningsOptions, type SearchMeaning } from './meanings.ts';
export { modelId } from './model-id.ts';
export { checkEmbedder, type OpenOptions, openEmbedder } from './open-embedder.ts';
export { type MeaningSurroundings, openMeanings, type SharedMeanings } from './open-meanings.ts';
export { PatientMeanings } from './patient-meanings.ts';
export { RedisVectors, type RedisVectorsOptions, type VectorStoreState } from './redis-vectors.ts';
export type { SharedVectors } from './shared-vectors.ts';
export type { Texts } from './texts.ts';
export { type Notes, VectorNotes } from './vector-notes.ts';
export type { VectorEntry } from './vector-text.ts';
