export { isLoopback, reachableUrl } from './addresses.ts';
export { Admission, overloaded } from './api/admission.ts';
export { type AdmissionContext, type Admitted, admitExchange } from './api/admit-exchange.ts';
export {
  ApiDescription,
  type DescribedErrors,
  type JsonObject,
  jsonContent,
  jsonSchema,
  REQUEST_ID_HEADER,
  REQUEST_ID_PARAMETER,
} from './api/api-description.ts';
export { ApiError, type ApiErrorOptions, commonError } from './api/api-error.ts';
export { type BodyHold, BodyMemory } from './api/body-memory.ts';
export { ClientGone } from './api/client-gone.ts';
export { createListener, type Method, type ServicePath, servicePath } from './api/create-listener.ts';
export { docsRoute, openApiRoute } from './api/description.ts';
export {
  type Exchange,
  type ExchangeContext,
  type ExchangeMetrics,
  errorResponse,
  jsonResponse,
  type Route,
  type RouteResponse,
  type RouteStream,
  runExchange,
  type WriteError,
} from './api/exchange.ts';
export { createExchangeMetrics, type ExchangeMetricsOptions } from './api/exchange-metrics.ts';
export { requireJson } from './api/media-type.ts';
export { healthRoute, readyRoute } from './api/probes.ts';
export { checkForm, readingBytes, readJson } from './api/read-json.ts';
export { type BodyLimits, type BodySink, expectedBytes, receiveBody } from './api/receive-body.ts';
export { type JsonBody, receiveJson } from './api/receive-json.ts';
export { notFoundRoute, wrongMethodRoute } from './api/refusals.ts';
export { threeDecimals } from './api/three-decimals.ts';
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
export { ByteBudget } from './bounds/byte-budget.ts';
export { type BreakerOptions, type BreakerState, CircuitBreaker } from './bounds/circuit-breaker.ts';
export { RecentMap, type WeightLimit } from './bounds/recent-map.ts';
export { Slots } from './bounds/slots.ts';
export { causeCode } from './cause-code.ts';
export { createHttpServer, type HeadError, type HttpServerOptions } from './create-http-server.ts';
export { Drain } from './drain.ts';
export { LineOutput } from './line-output.ts';
export { createLog, describeError, type Log, type LogFields, type LogLevel, type LogOptions } from './log.ts';
export { type Measures, MetricsRegistry } from './metrics/metrics-registry.ts';
export { nearestName } from './nearest-name.ts';
export { STATUS_CODES } from './node-http.ts';
export { type ProcessEffects, runService, type ServiceProcess } from './run-service.ts';
export { type ServeOptions, type ServeSettings, serve } from './serve.ts';
export {
  type CommandOption,
  EXIT,
  type OptionValues,
  readCommandLine,
  refuseToStart,
  type ServiceCommand,
} from './service-command.ts';
export { type FileEntry, type FileOutcome, readConfigFile } from './settings/config-file.ts';
export {
  type AnyDeclaration,
  entriesOf,
  type FamilyTables,
  printDefault,
  type SettingsDeclaration,
} from './settings/declaration.ts';
export { printSettings } from './settings/print-settings.ts';
export { parseDuration } from './settings/quantity.ts';
export { type DocumentOutcome, readDocument } from './settings/read-document.ts';
export { readService, type ServiceSettings } from './settings/read-service.ts';
export {
  type Environment,
  type ReadSettings,
  readSettings,
  type SettingsSources,
  variablesOf,
} from './settings/read-settings.ts';
export { serverSettings } from './settings/server-settings.ts';
export { at, defaultsOf, type Setting, type SettingsTable, type ValuesOf } from './settings/setting.ts';
/** The kinds of settings: `setting.wholeNumber(0, 65_535, 8787)`. */
export * as setting from './settings/setting-kinds.ts';
export { stackFrames } from './stack-frames.ts';
export { settingsToStartWith } from './start-command.ts';
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
