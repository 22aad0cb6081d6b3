export { BodyBytes } from './body-bytes.ts';
export { describeSearchTool } from './describe-search-tool.ts';
export type {
  AddedHeader,
  AddedTool,
  Format,
  HostedSearches,
  Past,
  ReadOptions,
  RequestAddress,
  ResponseAlias,
  ResponseJoiner,
  RoundEnd,
  RoundFailure,
  RoundFinished,
  RoundNotices,
  RoundSearching,
  StoredRequest,
  StoredResponses,
} from './format.ts';
export { FORMATS } from './formats.ts';
export type { FrameDecoder, FrameEncoder, Frames, Framing } from './framing/framing.ts';
export { framingOf } from './framing/framings.ts';
export { framingFor } from './framing-for.ts';
export { isReadable } from './has-many-values.ts';
export { HiddenNames, hiddenNames, hidesCalls } from './hidden-names.ts';
export type { Keep } from './keep.ts';
export { NameScan } from './name-scan.ts';
export { offerTools } from './offer-tools.ts';
export type { HostedQuery, Polyfilled, ResponseRewriter } from './polyfilled.ts';
export { MalformedFrames, OverlongEvent, readEvents } from './read-events.ts';
export { rememberBy } from './remember-by.ts';
export { rewriteJoined } from './rewrite-joined.ts';
export type { UsageShown } from './shown-counts.ts';
export { deferredEntries } from './swap-tools.ts';
export type { ProxyError, ThinkingRefusal, Vendor, VendorCloud } from './vendor.ts';
export {
  CREDENTIAL_HEADERS,
  CREDENTIAL_PARAMETERS,
  cloudOf,
  documentsLoadModes,
  nearestVendor,
  PATH_ROOTS,
  VENDOR_NAMES,
  VENDORS,
  type VendorName,
  type VendorSigns,
  vendorNamed,
  vendorOf,
  vendorOfPath,
} from './vendors.ts';
export type {
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
  ToolList,
  ToolSection,
  Turn,
  TurnKeys,
  Usage,
  VisibleTurn,
} from './view.ts';
export {
  type FrameSource,
  type StreamComment,
  type StreamEvent,
  type WholeBody,
  type WireEvent,
  withData,
} from './wire-event.ts';
