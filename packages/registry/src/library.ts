/**
 * Names that only programs with the published package import; it exports them with those of `index.ts`.
 * A name that leaves this list breaks such programs.
 */

export type { Validation, ValidationError } from '@winnow/core';
export { type Change, type DefinitionChange, EVENT_TYPES, type EventType } from './changes/change.ts';
export type { ChangeListener } from './changes/change-listeners.ts';
export type { Effect, OnDifference } from './changes/plan-registration.ts';
export type { ServerListEffects } from './changes/plan-server-list.ts';
export { SEES_ALL } from './content/sight.ts';
export type { RegistryClock } from './create-registry.ts';
export type { RegistryLimits } from './limits.ts';
export { type BackendPolicy, isSameBackend } from './model/backend.ts';
export { definitionHash } from './model/create-stored-tool.ts';
export { normalizeTags } from './model/normalize-tags.ts';
export type { StoredTool } from './model/tool.ts';
export { formatToolId, type ToolIdParts } from './model/tool-id.ts';
export { PROBLEM_CODES, type Problem, type ProblemCode } from './problem.ts';
export type {
  ChangeOptions,
  Expansion,
  NamespaceCount,
  Page,
  RegisterOptions,
  RegistryStats,
} from './registry.ts';
export { RULES, type Rule } from './rules.ts';
export type { Degradation } from './search/guarded-search.ts';
export { QUERY_TYPES, type QueryType } from './search/search-options.ts';
export type { SearcherChange, SearcherHit, SearcherQuery, SearcherResult } from './search/searcher.ts';
export type { MeaningTexts, SearchMeaning, ToolMeanings } from './search/tool-meanings.ts';
export type {
  AnswerOptions,
  SearchTool,
  SearchToolDescription,
  SearchToolResult,
} from './search-tool/search-tool.ts';
export {
  MAX_RESULTS,
  SEARCH_TOOL_NAME,
  SEARCH_TOOL_TYPES,
  type SearchToolType,
} from './search-tool/search-tool-definition.ts';
export { SEARCH_TOOL_FORMATS, type SearchToolFormat } from './search-tool/search-tool-format.ts';
export type { PostgresOptions } from './stores/postgres/postgres.ts';
export type { SqliteOptions } from './stores/sqlite/sqlite.ts';
export type {
  Epoch,
  HistoryEntry,
  ScopeContent,
  ScopeStore,
  TransactionBase,
  TransactionOutcome,
  TransactionWrites,
} from './stores/store.ts';
export { StoreError, type StoreErrorCode } from './stores/store-error.ts';
export { DETAIL_LEVELS, type DetailLevel } from './tool-detail.ts';
