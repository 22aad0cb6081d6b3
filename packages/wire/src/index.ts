export { namesDefinedBy } from './bridge/defining-results.ts';
export { readOwnCall } from './bridge/own-call.ts';
export { isRefused, MOST_REFUSALS, refuseCall } from './bridge/refuse-call.ts';
export { type AddedTool, bindsThinking, type HostedSearches } from './format/capabilities.ts';
export type { Format } from './format/format.ts';
export { addedHeaders, type LoadRules, loadsNatively } from './format/load-rules.ts';
export type { HostedQuery, Polyfilled, ResponseRewriter } from './format/polyfilled.ts';
export type { Past, RequestEditor } from './format/request-editor.ts';
export { matchRoute, type ReadOptions, type RequestAddress } from './format/request-reader.ts';
export type {
  ResponseJoiner,
  RoundEnd,
  RoundFailure,
  RoundFinished,
  RoundNotices,
  RoundSearching,
} from './format/response-joiner.ts';
export type { ResponseAlias, StoredRequest } from './format/stored-responses.ts';
export type {
  ExactCall,
  FoundTool,
  HiddenTurn,
  LoadMode,
  Plan,
  Preload,
  PreloadForm,
  Purpose,
  RequestReading,
  RequestView,
  Round,
  SearchCall,
  SearchResult,
  SearchTool,
  ToolEntry,
  ToolSection,
  Turn,
  TurnKeys,
  Usage,
} from './format/view.ts';
export { FORMATS } from './formats.ts';
export type { FrameEncoder, Frames, Framing } from './framing/framing.ts';
export { framingFor } from './framing/framing-for.ts';
export { framingOf } from './framing/framings.ts';
export { BudgetExceeded, MalformedFrames, readEvents } from './framing/read-events.ts';
export {
  eventText,
  type StreamEvent,
  type WireEvent,
  withData,
} from './framing/wire-event.ts';
export type { Keep } from './joining/keep.ts';
export { rewriteJoined } from './joining/rewrite-joined.ts';
export type { UsageShown } from './joining/shown-counts.ts';
export { isReadable } from './json/has-many-values.ts';
export { NameScan } from './json/name-scan.ts';
export { rememberBy, setOf } from './remember-by.ts';
export { BodyBytes } from './request/body-bytes.ts';
export { HiddenNames, hiddenNames, hidesCalls } from './tools/hidden-names.ts';
export { deferredEntries } from './tools/swap-tools.ts';
export { preloadBy } from './turns/first-message.ts';
export type { Vendor } from './vendors/vendor.ts';
export {
  CREDENTIAL_HEADERS,
  CREDENTIAL_PARAMETERS,
  CREDENTIAL_PROTOCOLS,
  cloudOf,
  documentsLoadModes,
  nearestVendor,
  PATH_ROOTS,
  VENDOR_NAMES,
  VENDORS,
  type VendorName,
  vendorNamed,
  vendorOf,
  vendorOfPath,
} from './vendors.ts';
