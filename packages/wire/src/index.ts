export { describeSearchTool } from './describe-search-tool.ts';
export type {
  AddedHeader,
  AnswerJoiner,
  Format,
  Past,
  ProxyError,
  ReadOptions,
  RoundEnd,
  RoundFailure,
  RoundFinished,
  RoundSearching,
} from './format.ts';
export { FORMATS } from './formats.ts';
export {
  isEventStream,
  OverlongEvent,
  readEvents,
  type StreamComment,
  type StreamEvent,
  type WholeBody,
  type WireEvent,
} from './sse.ts';
export { deferredEntries } from './swap-tools.ts';
export type {
  BypassReason,
  FoundTool,
  HiddenTurn,
  LoadMode,
  Plan,
  Purpose,
  RequestReading,
  RequestSpans,
  RequestView,
  Round,
  SearchCall,
  SearchResult,
  SearchTool,
  SessionHint,
  ToolCall,
  ToolChoice,
  ToolEntry,
  Turn,
  UnreadableReason,
  Usage,
  VisibleTurn,
} from './view.ts';
