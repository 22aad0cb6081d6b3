/**
 * All permitted span attributes: an explicit list, so that nothing else gets into a trace. Counts, codes and
 * names; never request content, queries, descriptions or credentials.
 *
 * Names without `winnow` follow the semantic conventions:
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/ and
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
export type SpanAttributes = { readonly [Name in keyof Attributes]?: Attributes[Name] | undefined };

interface Attributes {
  'http.request.method': string;
  'http.response.status_code': number;
  /** Number of previous attempts; absent on the first. */
  'http.request.resend_count': number;
  /** The path template of the service's route. */
  'http.route': string;
  /** Without the query; only for known paths. */
  'url.path': string;
  'server.address': string;
  'server.port': number;
  /** The reason of the failure: a code, or the status. */
  'error.type': string;
  'gen_ai.operation.name': string;
  /** The provider as the conventions name it, or the vendor whose wire format the upstream speaks. */
  'gen_ai.provider.name': string;
  'gen_ai.request.model': string;
  /** Present if the client asked for a stream. */
  'gen_ai.request.stream': boolean;
  /** Seconds until the first bytes of a streamed response. */
  'gen_ai.response.time_to_first_chunk': number;
  /** Summed over all upstream calls. */
  'gen_ai.usage.input_tokens': number;
  'gen_ai.usage.output_tokens': number;
  /** Input tokens read from the provider's prompt cache, and written to it. */
  'gen_ai.usage.cache_read.input_tokens': number;
  'gen_ai.usage.cache_creation.input_tokens': number;
  /** The method of a Model Context Protocol request, if it is a known one. */
  'mcp.method.name': string;
  /** The `requestId` in the record or in the selector's log. */
  'winnow.request_id': string;
  'winnow.upstream': string;
  /** The Letta call, by its name in the metrics. */
  'winnow.letta.call': string;
  /** The outcome for an agent. */
  'winnow.attach.outcome': string;
  'winnow.attach.attached': number;
  'winnow.attach.failed': number;
  'winnow.attach.detached': number;
  'winnow.format': string;
  'winnow.strategy': string;
  'winnow.arm': string;
  'winnow.plan_reason': string;
  'winnow.load_mode': string;
  'winnow.outcome': string;
  'winnow.restored_because': string;
  'winnow.stream': boolean;
  'winnow.tools.total': number;
  'winnow.tools.kept': number;
  'winnow.tools.deferred': number;
  'winnow.tools.loaded': number;
  /** Searches by the model in the exchange. */
  'winnow.searches': number;
  'winnow.upstream_calls': number;
  'winnow.hidden_turns': number;
  'winnow.session_errors': number;
  'winnow.search.outcome': string;
  /** Number of tools searched. */
  'winnow.search.tools': number;
  /** Number of tools found. */
  'winnow.search.found': number;
  /** Length of the query, in UTF-16 code units. */
  'winnow.search.query_chars': number;
  /** The query type that the selector inferred. */
  'winnow.search.type': string;
  /** `cached`, or `built` for this search. */
  'winnow.search.index': string;
}
