/** A call that the model made earlier. */
export interface PastCall {
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; the text itself when they are not JSON. */
  readonly input: unknown;
}

/** What a tool answered. */
export interface PastResult {
  readonly callId: string;
  readonly text: string;
}

/** A step of the conversation, in the order in which the model reads it. */
export type ConversationTurn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly PastCall[] }
  | { readonly role: 'results'; readonly results: readonly PastResult[] };

/** What a format puts before the ids it makes. */
export interface IdPrefixes {
  readonly message: string;
  readonly call: string;
}

/** A request as a model sees it, whatever its format. */
export interface Conversation {
  /** Tools whose definition the model can see: it may call these and no others. */
  readonly callable: ReadonlySet<string>;
  /** Tools that are declared as deferred, seen or not. Empty in formats without deferral. */
  readonly deferred: ReadonlySet<string>;
  /** False when `tool_choice` is `none`. */
  readonly mayCall: boolean;
  readonly idPrefixes: IdPrefixes;
  /** Whether the request lets the model think aloud. */
  readonly mayThink: boolean;
  /** Without system messages and without thinking. Neighbours may have the same role. */
  readonly turns: readonly ConversationTurn[];
}
