export { hostNameOf, isLoopback, reachableUrl } from './addresses.ts';
export { Admission, overloaded } from './api/admission.ts';
export { type AdmissionContext, admitExchange } from './api/admit-exchange.ts';
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
export { ApiError, type ApiErrorOptions } from './api/api-error.ts';
export { type BodyHold, BodyMemory } from './api/body-memory.ts';
export { ClientGone } from './api/client-gone.ts';
export {
  type Exchange,
  jsonResponse,
  type Route,
  type RouteResponse,
  type RouteStream,
} from './api/exchange.ts';
export { createExchangeMetrics } from './api/exchange-metrics.ts';
export { requireJson } from './api/media-type.ts';
export { checkForm, invalidRequest, MAX_DETAILS, readJson, toDetail } from './api/read-json.ts';
export { type BodyLimits, type BodySink, expectedBytes, receiveBody } from './api/receive-body.ts';
export { receiveJson } from './api/receive-json.ts';
export { selfContainedPage } from './api/self-contained-page.ts';
export { type Method, type ServicePath, servicePath } from './api/service-path.ts';
export { threeDecimals } from './api/three-decimals.ts';
export { contentDecoder } from './bodies/content-decoder.ts';
export { decodePieces, decodeStream, decodeWhole, UndecodableBody } from './bodies/decode-body.ts';
export { discardRest } from './bodies/discard-rest.ts';
export { readAway } from './bodies/read-away.ts';
export { type BreakerOptions, type BreakerState, CircuitBreaker } from './bounds/circuit-breaker.ts';
export { RecentMap } from './bounds/recent-map.ts';
export { type CallPlaces, type Party, Shares } from './bounds/shares.ts';
export { Slots } from './bounds/slots.ts';
export { causeCode } from './cause-code.ts';
export { createHttpServer, type HeadError, type HttpServerOptions } from './create-http-server.ts';
export { Drain } from './drain.ts';
export { type HttpPool, httpProxiesOf, openHttpPool } from './http-pool.ts';
export { createLog, describeError, type Log, type LogFields } from './log.ts';
export { type Measures, MetricsRegistry, type WatchedEntry } from './metrics/metrics-registry.ts';
export { nearestName } from './nearest-name.ts';
export { STATUS_CODES } from './node-http.ts';
export { openService, type ServiceEffects, type ServiceParts } from './open-service.ts';
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
export { connectRedis } from './redis/connect-redis.ts';
export type { RedisCommand, RedisLink, RedisReply } from './redis/redis-link.ts';
export { redisSettings } from './redis/redis-settings.ts';
export { describeHosts, parseRedisUrl } from './redis/redis-url.ts';
export type { Reloaded } from './reload-settings.ts';
export { runService } from './run-service.ts';
export { type ServedService, serve } from './serve.ts';
export { EXIT, readCommandLine, refuseToStart } from './service-command.ts';
export { readConfigFile } from './settings/config-file.ts';
export {
  type AnyDeclaration,
  entriesOf,
  printDefault,
  type SettingsDeclaration,
} from './settings/declaration.ts';
export { differences, type MergedSettings, mergeSettings } from './settings/merge-settings.ts';
export { printSettings } from './settings/print-settings.ts';
export { parseDuration } from './settings/quantity.ts';
export { readDocument } from './settings/read-document.ts';
export { readFile } from './settings/read-file.ts';
export { readSecretFile } from './settings/read-secret-file.ts';
export { readService, type ServiceSettings } from './settings/read-service.ts';
export {
  type Environment,
  type ReadSettings,
  readSettings,
  type SettingsSources,
  variablesOf,
} from './settings/read-settings.ts';
export { serverSettings } from './settings/server-settings.ts';
export { at, defaultsOf, type Setting, spendersOf, type ValuesOf } from './settings/setting.ts';
/** The kinds of settings: `setting.wholeNumber(0, 65_535, 8787)`. */
export * as setting from './settings/setting-kinds.ts';
export { stackFrames } from './stack-frames.ts';
export { type RunningService, startServing } from './start-serving.ts';
export { takeSettings } from './take-settings.ts';
export { afterDelay, everyInterval } from './timers.ts';
export { type ClientTls, readClientTls } from './tls/read-client-tls.ts';
export { readServerTls, type ServerTlsFiles, serverTlsProblems } from './tls/read-server-tls.ts';
export { replaceCertificates } from './tls/replace-certificates.ts';
export { bearerToken, TokenSet } from './token-set.ts';
export { exportStateLine } from './tracing/export-state-line.ts';
export { serverAttributes } from './tracing/server-attributes.ts';
export { SILENT_SPAN, SILENT_TRACER, silentSpan } from './tracing/silent-tracer.ts';
export type { Span, SpanKind, Tracer } from './tracing/span.ts';
export type { SpanAttributes } from './tracing/span-attributes.ts';
export { startTracing } from './tracing/start-tracing.ts';
export { NO_TRACE, readTraceHeaders, type TraceHeaders } from './tracing/trace-headers.ts';
export type { Clock } from './tracing/tracing.ts';
export { readTracingSettings, type TracingSettings } from './tracing/tracing-settings.ts';
export { waitFor } from './wait-for.ts';
