/**
 * Everything that spans may say: a list, so that nothing else gets into a trace. Counts, codes and names; never content of a request,
 * a query, a description or a credential.
 *
 * Names without `winnow` are those of the semantic conventions:
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/ and https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
export type SpanAttributes = { readonly [Name in keyof Attributes]?: Attributes[Name] | undefined };

interface Attributes {
  'http.request.method': string;
  'http.response.status_code': number;
  /** How often a request was sent before; missing the first time. */
  'http.request.resend_count': number;
  /** The path as the service knows it. */
  'http.route': string;
  /** Without the query; of paths that are known only. */
  'url.path': string;
  'server.address': string;
  'server.port': number;
  /** Why the span failed: a code, or the status. */
  'error.type': string;
  'gen_ai.operation.name': string;
  /** Whose shapes the upstream speaks. */
  'gen_ai.provider.name': string;
  'gen_ai.request.model': string;
  /** Summed over all upstream calls. */
  'gen_ai.usage.input_tokens': number;
  'gen_ai.usage.output_tokens': number;
  /** The method of a request of the Model Context Protocol, of those that are known. */
  'mcp.method.name': string;
  /** The `requestId` of the record, or of the selector's log. */
  'winnow.request_id': string;
  'winnow.upstream': string;
  /** A call of Letta, as metrics name it. */
  'winnow.letta.call': string;
  /** What became of an agent. */
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
  /** Searches of the model in the exchange. */
  'winnow.searches': number;
  'winnow.upstream_calls': number;
  'winnow.hidden_turns': number;
  'winnow.session_errors': number;
  'winnow.search.outcome': string;
  /** Tools that were searched. */
  'winnow.search.tools': number;
  /** Tools that were found. */
  'winnow.search.found': number;
  /** Length of the query, in UTF-16 code units. */
  'winnow.search.query_chars': number;
  /** How the selector read the query. */
  'winnow.search.type': string;
  /** `cached`, or `built` for this search. */
  'winnow.search.index': string;
}
