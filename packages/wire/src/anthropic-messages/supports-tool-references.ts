/**
 * Which models understand `defer_loading` and `tool_reference`, by name. The first row that matches decides;
 * a name that no row knows is not supported, and gets its tools by swapping.
 *
 * The vendor's list began with Opus 4.5 and Sonnet 4.5 (tool search, November 2025) and took in every later
 * model. Haiku 4.5 is not on it, but takes deferred tools (measured in August 2026, theopenco/llmgateway#3604). A native request
 * that is rejected is answered by the original bytes.
 */
const SUPPORT_BY_MODEL: readonly (readonly [pattern: RegExp, isSupported: boolean])[] = [
  // A date may follow the generation (`claude-opus-4-20250514`), so a minor number has at most two digits.
  [/claude-(?:opus|sonnet|haiku)-4[-.](?:[5-9]|[1-9]\d)(?!\d)/, true],
  [/claude-(?:opus|sonnet|haiku)-(?:[5-9]|[1-9]\d)(?!\d)/, true],
  [/claude-(?:fable|mythos)-/, true],
];

/**
 * True when a model of this name can be shown a deferred tool by a `tool_reference`.
 *
 * Says nothing about the server behind the name: whether that is the vendor's own is for the caller to know.
 */
export function supportsToolReferences(model: string): boolean {
  const row = SUPPORT_BY_MODEL.find(([pattern]) => pattern.test(model));
  return row?.[1] ?? false;
}
