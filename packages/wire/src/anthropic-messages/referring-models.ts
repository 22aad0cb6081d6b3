/**
 * Names of the models that understand `defer_loading` and `tool_reference`; any other model gets its tools by swapping.
 *
 * The vendor's list began with Opus 4.5 and Sonnet 4.5 (tool search, November 2025) and took in every later
 * model. Haiku 4.5 is not on it, but takes deferred tools (measured in August 2026, theopenco/llmgateway#3604). A native request
 * that is rejected is answered by the original bytes. The names say nothing about the server behind them.
 */
export const REFERRING_MODELS: readonly RegExp[] = [
  // A date may follow the generation (`claude-opus-4-20250514`), so a minor number has at most two digits.
  /claude-(?:opus|sonnet|haiku)-4[-.](?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:opus|sonnet|haiku)-(?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:fable|mythos)-/,
];
