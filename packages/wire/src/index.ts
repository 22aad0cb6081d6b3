export { namesDefinedBy } from './bridge/found-definitions.ts';
export { isRefused, MOST_REFUSALS, readOwnCall, refuseCall } from './bridge/join-bridged.ts';
export type { HostedQuery, Polyfilled, ResponseRewriter } from './format/capabilities.ts';
export { bindsThinking, type HostedSearches } from './format/capabilities.ts';
export type { Format } from './format/format.ts';
export { framingFor } from './format/format.ts';
export { addedHeaders, type LoadRules, loadsNatively } from './format/load-rules.ts';
export type { Past, RequestEditor, ResponseAlias, StoredRequest } from './format/request-parts.ts';
export { matchRoute, type ReadOptions, type RequestAddress } from './format/request-parts.ts';
export type {
  Keep,
  ResponseJoiner,
  RoundEnd,
  RoundFailure,
  RoundFinished,
  RoundSearching,
} from './format/response-joiner.ts';
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
export {
  eventText,
  type StreamEvent,
  type WireEvent,
  withData,
} from './framing/framing.ts';
export { framingOf } from './framing/framings.ts';
export { BudgetExceeded, EventReader, MalformedFrames, readEvents } from './framing/read-events.ts';
export { RewritingJoiner } from './joining/rewrite-joined.ts';
export { BodyBytes } from './json/body-bytes.ts';
export { isReadable, NameScan } from './json/scan-json.ts';
export { rememberBy, setOf } from './remember-by.ts';
export { HiddenNames, hiddenNames, hidesCalls } from './tools/hidden-names.ts';
export { deferredEntries } from './tools/swap-tools.ts';
export { editsSpokenOf, leaveOut } from './turns/leave-out.ts';
export { preloadBy } from './turns/preload.ts';
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
