import type { ChatDialect } from '../openai-chat/chat-dialects.ts';

/** Rules that differ between the models and servers of one format. All other rules always apply. */
export interface ProviderRules {
  /** Whether a model binds each thinking block to the system, tools and messages before it (Anthropic). */
  readonly bindsThinking: (model: string) => boolean;
  /** Whether a server demands thinking next to each call, unless thinking is disabled (DeepSeek's Messages). */
  readonly demandsThinking?: boolean;
  /** Whether a model knows `defer_loading` and `tool_reference` (Anthropic), or `tool_search` (Responses). */
  readonly supportsDeferral: (model: string) => boolean;
  /**
   * Whether the server does not know deferral, and refuses namespaces, tool search, marks and references as
   * unknown.
   */
  readonly isPlain?: boolean;
  /**
   * Whether a Chat server knows `defer_loading` and `tool_reference`, as vLLM, SGLang and Baseten do.
   * OpenAI's own does not.
   */
  readonly hasChatDeferral?: boolean;
  /**
   * The reaction to reasoning that follows another prefix than at its creation (Responses); none by default.
   */
  readonly bindsReasoning?: 'refuse' | 'withhold';
  /**
   * Whether reasoning with an id is looked up by that id even if nothing is stored (Responses). Default:
   * false.
   */
  readonly refusesUnstoredIds?: boolean;
  /** The dialect of a Chat server, which refuses what the real one refuses; OpenAI's own by default. */
  readonly chatDialect?: ChatDialect;
  /** Whether a Chat server does not know `stream_options`, and refuses it with 422. */
  readonly refusesStreamOptions?: boolean;
  /** Whether a model requires the signatures of its calls (Gemini). */
  readonly asksForSignatures: (model: string) => boolean;
  /** Whether a signature is valid only with the history for which it was made (Gemini). */
  readonly bindsSignatures: (model: string) => boolean;
  /**
   * Tool types that are accepted in addition to the provider's own; some compatible servers have such types.
   */
  readonly toolTypes: readonly string[];
  /** Content block types that are accepted in addition to the provider's own. */
  readonly contentTypes: readonly string[];
  /** Maximum number of tools in one request. OpenAI has refused more than 128; others accept any number. */
  readonly mostTools: number;
  /** Maximum length of a function's description, in characters (Chat). OpenAI has refused more than 1,024. */
  readonly longestDescription: number;
}

// Models that bind thinking to the tools and the history before it: Fable and Mythos 5.1 and 5.2, Opus, Sonnet and Haiku 5.5.
const BINDING_MODELS = /(?:fable|mythos)-5[-.][12]|(?:opus|sonnet|haiku)-5[-.]5/;

/** The providers' own rules, without limits that only some models have. */
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
