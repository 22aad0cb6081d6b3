/** A tool of the probe, independent of a format. */
export interface ProbeTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

interface ProbeRequest {
  readonly model: string;
  readonly system: string;
  /** Messages in the format's own JSON, starting with the user's first message. */
  readonly history: readonly unknown[];
  readonly tools: readonly ProbeTool[];
  /** Whether to request thinking, if the format has a setting for it. */
  readonly thinks: boolean;
}

/** The parts of a whole response that the probe needs. */
export interface ProbeAnswer {
  /** Messages to append to the history, in order. */
  readonly messages: readonly unknown[];
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly hasThinking: boolean;
  /** Tokens of the whole input, including those served by a cache. */
  readonly inputTokens: number;
  /** Tokens served by a cache; undefined if the provider does not report them. */
  readonly cachedTokens: number | undefined;
}

/** The probe's adapter for one format. Plain requests, whole responses. */
export interface ProbeDialect {
  readonly format: string;
  /**
   * Returns the path of requests to a model, as the vendor's documentation writes it or relative to the
   * vendor's base URL.
   */
  path(model: string): string;
  /** Headers other than the credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum number of output tokens of one response. */
  readonly mostOutputTokens: number;
  writeBody(request: ProbeRequest): object;
  writeUser(text: string): unknown;
  /** Returns the messages that carry the results of these calls. */
  writeResults(calls: ProbeAnswer['calls'], text: string): unknown[];
  /** Throws if the value is not a response. */
  read(body: unknown): ProbeAnswer;
}
