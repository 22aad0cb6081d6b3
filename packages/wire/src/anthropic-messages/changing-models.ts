/**
 * Names of the models whose tools a system message in the middle of a conversation can change.
 *
 * Sources: https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages, the model
 * profiles of langchain-ai/langchainjs (@langchain/anthropic 1.5.13; Sonnet 5 takes system messages only), and
 * live tests in earendil-works/pi#9548.
 */
const CHANGING_MODELS: readonly RegExp[] = [
  // A date may follow the generation (`claude-opus-5-20260101`), so a minor number has at most two digits.
  /claude-opus-4[-.](?:[89]|[1-9]\d)(?!\d)/,
  /claude-opus-(?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:sonnet|haiku)-5[-.](?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:sonnet|haiku)-(?:[6-9]|[1-9]\d)(?!\d)/,
  /claude-(?:fable|mythos)-(?:[5-9]|[1-9]\d)(?!\d)/,
];

/** Whether a model of this name accepts a change of its tools within a conversation. */
export function changesTools(model: string | undefined): boolean {
  return model !== undefined && CHANGING_MODELS.some((pattern) => pattern.test(model));
}
