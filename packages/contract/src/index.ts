export { ERRORS, ErrorAnswer, type ErrorCode, type ErrorDetail } from './errors.ts';
export {
  Agreement,
  ExchangeOutcome,
  ExchangeRecord,
  Observation,
  RECORD_VERSION,
  RestoreReason,
  RolloutArm,
  RolloutReason,
  SearchFailure,
  SearchRecord,
  ToolBytes,
  ToolCounts,
} from './exchange-record.ts';
export { DEFAULT_TOP_K, LIMITS } from './limits.ts';
export {
  MatchedField,
  SearchAnswer,
  SearchMetadata,
  SearchQuery,
  SearchRequest,
  SearchType,
  Tool,
  ToolReference,
  UsedSearchType,
} from './search.ts';
