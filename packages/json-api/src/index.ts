export { Admission, overloaded } from './admission.ts';
export { type AdmissionContext, type Admitted, admitExchange } from './admit-exchange.ts';
export {
  ApiDescription,
  type DescribedErrors,
  type JsonObject,
  jsonContent,
  jsonSchema,
  REQUEST_ID_HEADER,
  REQUEST_ID_PARAMETER,
} from './api-description.ts';
export { ApiError, type ApiErrorOptions, commonError } from './api-error.ts';
export { type BodyHold, BodyMemory } from './body-memory.ts';
export { ClientGone } from './client-gone.ts';
export { createListener, type Method, type ServicePath, servicePath } from './create-listener.ts';
export { docsRoute, openApiRoute } from './description.ts';
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
} from './exchange.ts';
export { createExchangeMetrics, type ExchangeMetricsOptions } from './exchange-metrics.ts';
export { createLog, describeError, type Log, type LogFields, type LogLevel, type LogOptions } from './log.ts';
export { requireJson } from './media-type.ts';
export { healthRoute, readyRoute } from './probes.ts';
export { checkForm, readingBytes, readJson } from './read-json.ts';
export { type BodyLimits, type BodySink, expectedBytes, receiveBody } from './receive-body.ts';
export { type JsonBody, receiveJson } from './receive-json.ts';
export { notFoundRoute, wrongMethodRoute } from './refusals.ts';
export { type ProcessEffects, runService, type ServiceProcess, type ServiceSettings } from './run-service.ts';
export { type ServeOptions, type ServeSettings, serve } from './serve.ts';
export { threeDecimals } from './three-decimals.ts';
