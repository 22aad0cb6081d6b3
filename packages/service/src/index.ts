export { hostNameOf, isLoopback, reachableUrl } from './addresses.ts';
export {
  Admission,
  type AdmissionContext,
  admitExchange,
  type BodyHold,
  BodyMemory,
  overloaded,
} from './api/admission.ts';
export {
  ApiDescription,
  BODY_ERRORS,
  type JsonObject,
  jsonContent,
  jsonSchema,
  parameter,
  REQUEST_ID_HEADER,
  REQUEST_ID_PARAMETER,
} from './api/api-description.ts';
export { ApiError, type ApiErrorOptions, ClientGone } from './api/api-error.ts';
export {
  createExchangeMetrics,
  type Exchange,
  jsonResponse,
  type Route,
  type RouteResponse,
  type RouteStream,
  threeDecimals,
} from './api/exchange.ts';
export { type Method, type ServicePath, servicePath } from './api/own-paths.ts';
export { type BodyLimits, type BodySink, expectedBytes, receiveBody } from './api/receive-body.ts';
export {
  checkForm,
  invalidRequest,
  MAX_DETAILS,
  readJson,
  receiveJson,
  requireJson,
  toDetail,
} from './api/receive-json.ts';
export { selfContainedPage } from './api/self-contained-page.ts';
export {
  contentDecoder,
  decodePieces,
  decodeStream,
  decodeWhole,
  UndecodableBody,
} from './bodies/decode-body.ts';
export { discardRest, readAway } from './bodies/read-away.ts';
export { type BreakerOptions, type BreakerState, CircuitBreaker } from './bounds/circuit-breaker.ts';
export { RecentMap } from './bounds/recent-map.ts';
export { type CallPlaces, type Party, Shares, Slots } from './bounds/shares.ts';
export {
  createHttpServer,
  type HeadError,
  type HttpServerOptions,
  STATUS_CODES,
} from './create-http-server.ts';
export { GatheredText } from './gathered-text.ts';
export { type HttpPool, httpProxiesOf, openHttpPool } from './http-pool.ts';
export { causeCode, createLog, describeError, type Log, type LogFields, stackFrames } from './log.ts';
export { type Measures, MetricsRegistry, SHARED, type WatchedEntry } from './metrics/metrics-registry.ts';
export { nearestName } from './nearest-name.ts';
export {
  type ExchangeRow,
  type ExchangeTotals,
  exchangePage,
  type Part,
  reportPage,
  rowOf,
  type SavedRange,
  savedBy,
  type Table,
  type TimePoint,
  TotalsTally,
  type UpstreamState,
} from './page/page.ts';
export { connectRedis, redisSettings } from './redis/connect-redis.ts';
export type { RedisCommand, RedisLink, RedisReply } from './redis/redis-link.ts';
export { describeHosts, parseRedisUrl } from './redis/redis-url.ts';
export {
  differences,
  type MergedSettings,
  mergeSettings,
  type Reloaded,
  takeSettings,
} from './reload-settings.ts';
export { runService } from './run-service.ts';
export { openService, type ServedService, type ServiceEffects, type ServiceParts, serve } from './serve.ts';
export { EXIT, readCommandLine, refuseToStart } from './service-command.ts';
export { readConfigFile, readDocument } from './settings/config-file.ts';
export { printSettings, readService, type ServiceSettings } from './settings/read-service.ts';
export {
  type Environment,
  type ReadSettings,
  readSettings,
  type SettingsSources,
  variablesOf,
} from './settings/read-settings.ts';
export {
  clientSettings,
  heldBytesOf,
  memoryHere,
  type ServerLimits,
  serverLimits,
  serverSettings,
} from './settings/server-settings.ts';
export {
  type AnyDeclaration,
  at,
  defaultsOf,
  entriesOf,
  printDefault,
  type Setting,
  type SettingsDeclaration,
  spendersOf,
  type ValuesOf,
} from './settings/setting.ts';
/** The kinds of settings: `setting.wholeNumber(0, 65_535, 8787)`. */
export * as setting from './settings/setting-kinds.ts';
export { parseDuration } from './settings/setting-kinds.ts';
export { readFile, readSecretFile } from './settings/substitute.ts';
export { Drain, type RunningService, startServing } from './start-serving.ts';
export { afterDelay, everyInterval, waitFor } from './timers.ts';
export {
  type ClientTls,
  readClientTls,
  readServerTls,
  replaceCertificates,
  type ServerTlsFiles,
  serverTlsProblems,
} from './tls.ts';
export { bearerToken, TokenSet } from './token-set.ts';
export {
  type Clock,
  NO_TRACE,
  readTraceHeaders,
  SILENT_SPAN,
  SILENT_TRACER,
  type Span,
  type SpanAttributes,
  type SpanKind,
  serverAttributes,
  silentSpan,
  type TraceHeaders,
  type Tracer,
} from './tracing/span.ts';
export { exportStateLine, startTracing } from './tracing/start-tracing.ts';
export { readTracingSettings, type TracingSettings } from './tracing/tracing-settings.ts';
