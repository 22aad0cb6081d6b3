/** A call that the model made earlier. */
export interface PastCall {
  readonly id: string;
  readonly name: string;
  /** The parsed arguments, or the text itself if it is not JSON. */
  readonly input: unknown;
}

/** The result of a tool. */
export interface PastResult {
  readonly callId: string;
  readonly text: string;
}

/** A step of the conversation, in the order in which the model reads it. */
export type ConversationTurn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly PastCall[] }
  | { readonly role: 'results'; readonly results: readonly PastResult[] };

/** Prefixes of the ids that a format generates. */
export interface IdPrefixes {
  readonly message: string;
  readonly call: string;
}

/** A model's view of a request, independent of the format. */
export interface Conversation {
  /** Tools whose definitions the model can see. It may call only these. */
  readonly callable: ReadonlySet<string>;
  /** Tools that are declared as deferred, visible or not. Empty in formats without deferral. */
  readonly deferred: ReadonlySet<string>;
  /** Whether the model may call tools: false if `tool_choice` is `none`. */
  readonly mayCall: boolean;
  readonly idPrefixes: IdPrefixes;
  /** Whether the request allows visible thinking. */
  readonly mayThink: boolean;
  /** Steps without system messages and thinking. Adjacent steps may have the same role. */
  readonly turns: readonly ConversationTurn[];
}
