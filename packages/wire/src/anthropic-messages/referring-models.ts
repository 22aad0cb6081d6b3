/**
 * Names of the models that support `defer_loading` and `tool_reference`; any other model loads tools by
 * swapping.
 *
 * The vendor's list began with Opus 4.5 and Sonnet 4.5 (tool search, November 2025) and includes every later
 * model. Haiku 4.5 is not listed but accepts deferred tools (measured in August 2026,
 * theopenco/llmgateway#3604). If a server rejects a native request, the original bytes are sent. The name of
 * a model does not identify the server that runs it.
 */
export const REFERRING_MODELS: readonly RegExp[] = [
  // A date may follow the generation (`claude-opus-4-20250514`), so a minor number has at most two digits.
  /claude-(?:opus|sonnet|haiku)-4[-.](?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:opus|sonnet|haiku)-(?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:fable|mythos)-/,
];
