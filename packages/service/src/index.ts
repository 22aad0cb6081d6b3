export { isLoopback, reachableUrl } from './addresses.ts';
export { ACCEPTED_ENCODINGS, contentDecoder } from './bodies/content-decoder.ts';
export {
  decodeEach,
  decodePieces,
  decodeStream,
  decodeWhole,
  UndecodableBody,
} from './bodies/decode-body.ts';
export { discardRest } from './bodies/discard-rest.ts';
export { readAway } from './bodies/read-away.ts';
export { boundHeap } from './bounds/bound-heap.ts';
export { ByteBudget } from './bounds/byte-budget.ts';
export { type BreakerOptions, type BreakerState, CircuitBreaker } from './bounds/circuit-breaker.ts';
export { countReceived } from './bounds/received-buffers.ts';
export { RecentMap, type WeightLimit } from './bounds/recent-map.ts';
export { Slots } from './bounds/slots.ts';
export { holdYoungHeap, startYoungHeapsWith } from './bounds/young-heap.ts';
export { causeCode } from './cause-code.ts';
export { createHttpServer, type HeadError, type HttpServerOptions } from './create-http-server.ts';
export { Drain } from './drain.ts';
export { LineOutput } from './line-output.ts';
export type { CounterMetric } from './metrics/counter.ts';
export type { HistogramMetric } from './metrics/histogram.ts';
export { type CollectedMetrics, MetricsRegistry } from './metrics/metrics-registry.ts';
export { nearestName } from './nearest-name.ts';
export { STATUS_CODES } from './node-http.ts';
export {
  type CommandOption,
  EXIT,
  type OptionValues,
  readCommandLine,
  refuseToStart,
  type ServiceCommand,
} from './service-command.ts';
export { type FileEntry, type FileOutcome, readConfigFile } from './settings/config-file.ts';
export { parseDuration } from './settings/duration.ts';
export { printSettings } from './settings/print-settings.ts';
export { type DocumentOutcome, readDocument } from './settings/read-document.ts';
export {
  type FamilyTables,
  type KeyedSettings,
  type KeyedValues,
  type MembersOf,
  readKeys,
  type SettingsSources,
  variableOf,
} from './settings/read-keys.ts';
export {
  type Environment,
  fromVariable,
  type ReadValues,
  readVariables,
  type VariableSetting,
} from './settings/read-variables.ts';
export { defaultsOf, type Setting, type SettingsTable, type ValuesOf } from './settings/setting.ts';
/** The kinds of settings: `setting.wholeNumber(0, 65_535, 8787)`. */
export * as setting from './settings/setting-kinds.ts';
export { stackFrames } from './stack-frames.ts';
export { type RunningService, type ServingOptions, startServing } from './start-serving.ts';
export { type Ending, stopOnSignal } from './stop-on-signal.ts';
export { type ClientTls, type ClientTlsFiles, readClientTls } from './tls/read-client-tls.ts';
export {
  readServerTls,
  type ServerTls,
  type ServerTlsFiles,
  serverTlsProblems,
} from './tls/read-server-tls.ts';
export { bearerToken, TokenSet } from './token-set.ts';
export { Agent } from './undici-agent.ts';
export { waitFor } from './wait-for.ts';
