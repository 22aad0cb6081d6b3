/** What differs between the models and servers of one format; everything else a provider rejects is always rejected. */
export interface ProviderRules {
  /** Whether a model binds each thinking block to the system, tools and messages before it (Anthropic). */
  readonly bindsThinking: (model: string) => boolean;
  /** Whether a model knows `defer_loading` and `tool_reference` (Anthropic), or `tool_search` (Responses). */
  readonly supportsDeferral: (model: string) => boolean;
  /** Whether it is a server that has never heard of deferral: namespaces, tool search, marks and references are refused as unknown. */
  readonly isPlain?: boolean;
  /** Whether a Chat server knows `defer_loading` and `tool_reference`, as vLLM, SGLang and Baseten do; OpenAI's own does not. */
  readonly hasChatDeferral?: boolean;
  /** What becomes of reasoning behind another prefix than the one that it was thought behind (Responses): nothing unless said. */
  readonly bindsReasoning?: 'refuse' | 'withhold';
  /** Whether reasoning that goes back with an id is looked for by that id even where nothing is stored (Responses): not unless said. */
  readonly refusesUnstoredIds?: boolean;
  /** Whether a model wants the signatures of its calls back (Gemini). */
  readonly asksForSignatures: (model: string) => boolean;
  /** Whether a signature is refused behind any other history than that behind which it was given (Gemini). */
  readonly bindsSignatures: (model: string) => boolean;
  /** Tool types that are accepted beside the provider's own; compatible servers have some. */
  readonly toolTypes: readonly string[];
  /** Content block types that are accepted beside the provider's own. */
  readonly contentTypes: readonly string[];
  /** The most tools of one request. OpenAI has refused more than 128; others take any number. */
  readonly mostTools: number;
  /** The longest description of a function, in characters (Chat). OpenAI has refused more than 1,024. */
  readonly longestDescription: number;
}

// Models that bind thinking to the tools and the history before it: Fable and Mythos 5.1 and 5.2, Opus, Sonnet and Haiku 5.5.
const BINDING_MODELS = /(?:fable|mythos)-5[-.][12]|(?:opus|sonnet|haiku)-5[-.]5/;

/** The rules of the providers themselves, without the limits that only some of their models have. */
export const DEFAULT_RULES: ProviderRules = {
  bindsThinking: (model) => BINDING_MODELS.test(model),
  supportsDeferral: () => true,
  asksForSignatures: (model) => Number(/gemini-(\d+)/.exec(model)?.[1]) >= 3,
  bindsSignatures: () => true,
  toolTypes: [],
  contentTypes: [],
  mostTools: Number.POSITIVE_INFINITY,
  longestDescription: Number.POSITIVE_INFINITY,
};
