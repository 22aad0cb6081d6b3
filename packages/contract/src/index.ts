export {
  ATTACH_LIMITS,
  AttachRequest,
  AttachResponse,
  KnownToolsResponse,
  PruneRequest,
  ToolSearchRequest,
  ToolSearchResponse,
} from './attach/attach.ts';
export { ATTACH_ERRORS, type AttachErrorCode, AttachErrorResponse } from './attach/errors.ts';
export {
  COMMON_ERRORS,
  type CommonErrorCode,
  ERRORS,
  type ErrorCode,
  type ErrorDetail,
  ErrorResponse,
} from './errors.ts';
export {
  AgentRecord,
  Agreement,
  EstimatedBills,
  ExchangeOutcome,
  ExchangeRecord,
  FailedRound,
  MeasuredTool,
  NewlyLoaded,
  Observation,
  RECORD_VERSION,
  RolloutArm,
  RoundProblem,
  RoundUsage,
  SearchRecord,
  TokenUsage,
  ToolBytes,
  ToolCounts,
  ToolListRecord,
} from './exchange-record.ts';
export { LIMITS } from './limits.ts';
export {
  BypassReason,
  LeaveReason,
  PlanReason,
  RestoreReason,
  RolloutReason,
  SearchFailure,
  UnreadableReason,
} from './reasons.ts';
export { REGISTRY_ERRORS, type RegistryErrorCode, RegistryErrorResponse } from './registry/errors.ts';
export {
  RegistryFilters,
  RegistryReference,
  RegistrySearchMetadata,
  RegistrySearchRequest,
  RegistrySearchResponse,
} from './registry/search.ts';
export { SearchToolAnswerResponse, SearchToolRequest, SearchToolResponse } from './registry/search-tool.ts';
export { SearchToolFormatName } from './registry/search-tool-format.ts';
export {
  AddServerRequest,
  ApproveRequest,
  ApproveResponse,
  ChangeServerRequest,
  PendingTool,
  RemoveServerResponse,
  ServerListResponse,
  ServerResponse,
} from './registry/servers.ts';
export {
  CallsResponse,
  ChangeEventData,
  ChangeResponse,
  DetailLevelName,
  ExamplesRequest,
  ExpandRequest,
  ExpandResponse,
  ListedTool,
  NamespaceListResponse,
  RegisterRequest,
  RegisterResponse,
  RegistrationRequest,
  RegistryBackend,
  RegistryExample,
  RegistryTool,
  RegistryToolSummary,
  StatsResponse,
  ToolDetailResponse,
  ToolListResponse,
  UsageRequest,
} from './registry/tools.ts';
export { RegistryCall, RegistryCallOutcome, RegistryOffer } from './registry-offer.ts';
export {
  MatchedField,
  MeaningGap,
  SearchQuery,
  SearchRequest,
  SearchResponse,
  SearchType,
  Tool,
  UsedSearchType,
} from './search.ts';
export { StoredObservation, StoredRecord, StoredSearch } from './stored-record.ts';
