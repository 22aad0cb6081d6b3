export {
  type Change,
  type ChangeEvent,
  type DefinitionChange,
  EVENT_TYPES,
  type EventType,
} from './changes/change.ts';
export type { HistoryPlace } from './changes/change-history.ts';
export type { ChangeListener } from './changes/change-listeners.ts';
export type { Effect } from './changes/plan-registration.ts';
export type { PendingDefinition, ServerListEffects } from './changes/plan-server-list.ts';
export type { ServerList } from './changes/server-list.ts';
export { matchesGlob } from './content/matches-glob.ts';
export { SEES_ALL, type Sight, sightOf } from './content/sight.ts';
export type { ToolFilter } from './content/tool-filter.ts';
export { createRegistry, makeEpoch, type RegistryClock, type RegistryOptions } from './create-registry.ts';
export { REGISTRY_LIMITS, type RegistryLimits } from './limits.ts';
export {
  BACKEND_KINDS,
  type Backend,
  type BackendKind,
  type BackendPolicy,
  isSameBackend,
  preferKinds,
} from './model/backend.ts';
export { definitionHash } from './model/create-stored-tool.ts';
export type { Json, JsonObject } from './model/json.ts';
export { findJsonFault, isJsonObject } from './model/json.ts';
export { normalizeTags } from './model/normalize-tags.ts';
export type { McpTool, Registration, StoredTool, ToolExample } from './model/tool.ts';
export { formatToolId, isNamespace, isToolName, parseToolId, type ToolIdParts } from './model/tool-id.ts';
export { type Outcome, PROBLEM_CODES, type Problem, type ProblemCode, type Refusal } from './problem.ts';
export type {
  ChangeOptions,
  ChangeSummary,
  Expansion,
  NamespaceCount,
  Page,
  PageRequest,
  RegisterOptions,
  Registry,
  RegistryStats,
  ServerListSummary,
} from './registry.ts';
export { RULES, type Rule } from './rules.ts';
export type { Degradation } from './search/guarded-search.ts';
export {
  type FoundTool,
  QUERY_TYPES,
  type QueryType,
  type SearchOptions,
  type SearchPage,
} from './search/search-options.ts';
export type {
  Searcher,
  SearcherChange,
  SearcherHit,
  SearcherQuery,
  SearcherResult,
} from './search/searcher.ts';
export type { MeaningTexts, SearchMeaning, ToolMeanings } from './search/tool-meanings.ts';
export {
  type AlwaysLoaded,
  type AnswerOptions,
  descriptionHash,
  type SearchTool,
  type SearchToolDescription,
  type SearchToolResult,
} from './search-tool/search-tool.ts';
export {
  MAX_RESULTS,
  SEARCH_TOOL_NAME,
  SEARCH_TOOL_TYPES,
  type SearchToolType,
} from './search-tool/search-tool-definition.ts';
export { SEARCH_TOOL_FORMATS, type SearchToolFormat } from './search-tool/search-tool-format.ts';
export { createMemoryStore } from './stores/memory.ts';
export { createPostgresStore, type PostgresOptions } from './stores/postgres/postgres.ts';
export { createSqliteStore, type SqliteOptions } from './stores/sqlite/sqlite.ts';
export type {
  Epoch,
  HistoryEntry,
  RegistryStore,
  ScopeContent,
  ScopeStore,
  TransactionBase,
  TransactionOutcome,
  TransactionWrites,
} from './stores/store.ts';
export { StoreError, type StoreErrorCode } from './stores/store-error.ts';
export { DETAIL_LEVELS, type DetailLevel, type ToolDetail, type ToolSummary } from './tool-detail.ts';
export { type Validation, validateValue } from './validation/validate-value.ts';
export type { ValidationError } from './validation/validation-error.ts';
