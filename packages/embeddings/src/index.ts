export type { EmbedCall, Embedder } from './embedder.ts';
export { EMBEDDER_FORMS, readEmbedderAddress } from './embedder-address.ts';
export {
  type EmbedderSettings,
  embedderAddress,
  embedderProblems,
  embedderSettings,
} from './embedder-settings.ts';
export { EMBEDDING_FAILURES, EmbeddingError, type EmbeddingFailure } from './embedding-error.ts';
export {
  type MeaningState,
  Meanings,
  type MeaningsOptions,
  type SearchMeaning,
  type Texts,
} from './meanings.ts';
export { checkEmbedder, type OpenOptions, openEmbedder } from './open-embedder.ts';
export { type MeaningSurroundings, openMeanings, type SharedMeanings } from './open-meanings.ts';
export { PatientMeanings } from './patient-meanings.ts';
export { type Notes, type VectorEntry, VectorNotes } from './vector-notes.ts';
