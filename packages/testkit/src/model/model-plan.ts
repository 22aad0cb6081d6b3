import type { JsonObject } from '../upstream/json-object.ts';

/** A call that the model is going to make. */
export interface PlannedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** One answer with calls that the client is to see, and the searches that lead to it. */
export interface PlannedStep {
  /** Called side by side in one answer, as soon as the model can see the definition of each of them. */
  readonly thenCall: readonly PlannedCall[];
  /**
   * What the model searches for while it cannot see one of the tools: one query after the other, each in an answer of its own,
   * the queries of an inner list side by side. Once begun, all of them are asked, whatever the first one finds.
   */
  readonly searchFor?: readonly (string | readonly string[])[];
  /** Queries asked in the same answer as the calls, with the step after this one in mind. */
  readonly searchBeside?: readonly string[];
  /** Whether the searches beside the calls stand before or behind them. Behind by default. */
  readonly besidePosition?: 'before' | 'behind';
  /**
   * Goes on searching although it sees all tools: until there is nothing left to load, or as long as there is a search tool.
   * Undefined stops when the queries have been asked.
   */
  readonly keepsSearching?: 'until-all-is-loaded' | 'always';
  /** What the model says before it calls. Nothing by default. */
  readonly say?: string;
}

/** What the model does about one message of the user. */
export interface PlannedTurn {
  /** In order; each waits for the results of the one before. None by default: the model answers at once. */
  readonly steps?: readonly PlannedStep[];
  /** What it says in the end. Made from the results of the last step when left out. */
  readonly answer?: string;
}

/** A whole conversation from the model's side. */
export interface ModelPlan {
  /** One for each message of the user. Later messages get an answer without calls. */
  readonly turns: readonly PlannedTurn[];
  /** Thinks before every answer, where the request lets it. False by default. */
  readonly thinks?: boolean;
  /** Searches by name for what it cannot see, also where no search is planned: what it found before may be lost with a session. False by default. */
  readonly searchesAgain?: boolean;
  /** Says what it is doing before each search. Such a text reaches the client, so the conversation differs from a direct one. */
  readonly narratesSearches?: boolean;
  /** `gateway_search_tools` by default. */
  readonly searchToolName?: string;
}
