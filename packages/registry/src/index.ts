export type { ChangeEvent } from './changes/change.ts';
export type { HistoryPlace } from './changes/change-history.ts';
export type { PendingDefinition, ServerList } from './changes/plan-server-list.ts';
export { type ServerTerms, servesNamespace } from './changes/server-terms.ts';
export { matchesGlob, type Sight, sightOf } from './content/sight.ts';
export type { ToolFilter } from './content/tool-filter.ts';
export { createRegistry, makeEpoch, type RegistryOptions } from './create-registry.ts';
export type { ToolDetail, ToolSummary } from './describe-tool.ts';
export { REGISTRY_LIMITS } from './limits.ts';
export { BACKEND_KINDS, type Backend, type BackendKind, preferKinds } from './model/backend.ts';
export { checkRegistration } from './model/check-registration.ts';
export type { Json, JsonObject } from './model/json.ts';
export { findJsonFault, isJsonObject, validateValue } from './model/json.ts';
export type { McpTool, Registration, ToolExample } from './model/tool.ts';
export { isNamespace, isToolName, parseToolId } from './model/tool-names.ts';
export type { Outcome, Refusal } from './problem.ts';
export type { ChangeSummary, PageRequest, Registry, ServerListSummary } from './registry.ts';
export {
  type FoundTool,
  MOST_NEXT,
  type SearchOptions,
  type SearchPage,
  splitPage,
} from './search/search-options.ts';
export type { Searcher } from './search/searcher.ts';
export { type AlwaysLoaded, descriptionHash } from './search-tool/search-tool.ts';
export { createMemoryStore } from './stores/memory.ts';
export { createPostgresStore } from './stores/postgres/postgres.ts';
export { createSqliteStore } from './stores/sqlite/sqlite.ts';
export type { RegistryStore } from './stores/store.ts';
