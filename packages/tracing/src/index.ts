export { exportStateLine } from './export-state-line.ts';
export { serverAttributes } from './server-attributes.ts';
export { SILENT_SPAN, SILENT_TRACER, silentSpan } from './silent-tracer.ts';
export type { Span, SpanKind, Tracer } from './span.ts';
export type { SpanAttributes } from './span-attributes.ts';
export { startTracing } from './start-tracing.ts';
export { NO_TRACE, readTraceHeaders, type TraceHeaders } from './trace-headers.ts';
export type { Clock } from './tracing.ts';
export { readTracingSettings, type TracingSettings } from './tracing-settings.ts';
