/**
 * Names that only programs with the published package import; it exports them with those of `index.ts`.
 * A name that leaves this list breaks such programs.
 */

export type { Validation, ValidationError } from '@winnow/core';
export type { ChangeListener, HistoryEntry } from './changes/change-history.ts';
export { type Change, type DefinitionChange, EVENT_TYPES, type EventType } from './changes/change-history.ts';
export type { Effect, OnDifference } from './changes/plan-registration.ts';
export type { ServerListEffects } from './changes/plan-server-list.ts';
export { SEES_ALL } from './content/tool-filter.ts';
export type { RegistryClock } from './create-registry.ts';
export { DETAIL_LEVELS, type DetailLevel } from './describe-tool.ts';
export type { RegistryLimits } from './limits.ts';
export { normalizeTags } from './model/check-registration.ts';
export type { StoredTool } from './model/tool.ts';
export { type BackendPolicy, definitionHash, isSameBackend } from './model/tool.ts';
export { formatToolId, type ToolIdParts } from './model/tool-names.ts';
export { PROBLEM_CODES, type Problem, type ProblemCode } from './problem.ts';
export type {
  ChangeOptions,
  Expansion,
  NamespaceCount,
  Page,
  RegisterOptions,
  RegistryStats,
} from './registry.ts';
export type { MeaningTexts, SearchMeaning, ToolMeanings } from './search/built-in-searcher.ts';
export { QUERY_TYPES, type QueryType } from './search/search-options.ts';
export type {
  Degradation,
  SearcherChange,
  SearcherHit,
  SearcherQuery,
  SearcherResult,
} from './search/searcher.ts';
export type {
  AnswerOptions,
  SearchTool,
  SearchToolDescription,
  SearchToolResult,
} from './search-tool/search-tool.ts';
export {
  MAX_RESULTS,
  SEARCH_TOOL_FORMATS,
  SEARCH_TOOL_NAME,
  SEARCH_TOOL_TYPES,
  type SearchToolFormat,
  type SearchToolType,
} from './search-tool/search-tool-definition.ts';
export type { PostgresOptions } from './stores/postgres/postgres.ts';
export type { SqliteOptions } from './stores/sqlite/sqlite.ts';
export type {
  Epoch,
  ScopeContent,
  ScopeStore,
  TransactionBase,
  TransactionOutcome,
  TransactionWrites,
} from './stores/store.ts';
export { StoreError, type StoreErrorCode } from './stores/store.ts';
