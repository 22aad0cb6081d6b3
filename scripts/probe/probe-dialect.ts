/** A tool of the probe, before a format's shape is put on it. */
export interface ProbeTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** A request of the probe. */
export interface ProbeRequest {
  readonly model: string;
  readonly system: string;
  /** In the format's own JSON, the user's first message included. */
  readonly history: readonly unknown[];
  readonly tools: readonly ProbeTool[];
  /** Whether the model is to think, where the format can ask for it. */
  readonly thinks: boolean;
}

/** A whole response, read as far as the probe needs it. */
export interface ProbeAnswer {
  /** What goes into the history, in order. */
  readonly messages: readonly unknown[];
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly hasThinking: boolean;
  /** Of the whole input, those that a cache served included. */
  readonly inputTokens: number;
  /** Undefined where the provider does not say. */
  readonly cachedTokens: number | undefined;
}

/** How the probe speaks one format. Plain requests, whole responses. */
export interface ProbeDialect {
  readonly format: string;
  /** Of requests to a model on a server whose base URL is the vendor's own, or as its own documentation writes it. */
  path(model: string): string;
  /** Headers beside the credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** Most tokens of one response. */
  readonly mostOutputTokens: number;
  writeBody(request: ProbeRequest): object;
  writeUser(text: string): unknown;
  /** The messages that carry the results of these calls. */
  writeResults(calls: ProbeAnswer['calls'], text: string): unknown[];
  /** Throws for what is no response. */
  read(body: unknown): ProbeAnswer;
}
