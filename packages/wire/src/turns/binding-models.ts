/**
 * Names of the models that bind their thinking to the exact system prompt, tools and messages before it: the
 * provider refuses such thinking after any change before it.
 *
 * The vendor names Opus, Sonnet and Haiku 5.5, and Fable and Mythos 5.1 and 5.2; later ones are expected to
 * do the same. Source: https://docs.claude.com/en/docs/build-with-claude/extended-thinking, on preserved
 * thinking.
 */
export const BINDING_MODELS: readonly RegExp[] = [
  // A date may follow the generation (`claude-opus-5-20260101`), so a minor number has at most two digits.
  /claude-(?:opus|sonnet|haiku)-5[-.](?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:opus|sonnet|haiku)-(?:[6-9]|[1-9]\d)(?!\d)/,
  /claude-(?:fable|mythos)-5[-.](?:[1-9]|[1-9]\d)(?!\d)/,
  /claude-(?:fable|mythos)-(?:[6-9]|[1-9]\d)(?!\d)/,
];

/** Whether a model of this name binds its thinking. */
export function isBindingModel(model: string | undefined): boolean {
  return model !== undefined && BINDING_MODELS.some((pattern) => pattern.test(model));
}
