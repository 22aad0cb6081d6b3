export { ERRORS, ErrorAnswer, type ErrorCode, type ErrorDetail } from './errors.ts';
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
