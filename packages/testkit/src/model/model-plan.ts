import type { ChatDialect } from '../openai-chat/chat-dialects.ts';
import type { JsonObject } from '../upstream/json-object.ts';

/** A call in a plan. */
export interface PlannedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** One response with calls that the client sees, and the searches that lead to it. */
export interface PlannedStep {
  /** Calls to make in parallel in one response, as soon as all their definitions are visible. */
  readonly thenCall: readonly PlannedCall[];
  /**
   * Queries to send while a needed tool is invisible: one response for each element; an inner list holds
   * parallel queries. Once started, all of them are sent, whatever the first one finds.
   */
  readonly searchFor?: readonly (string | readonly string[])[];
  /** Queries to send in the same response as the calls, in preparation for the next step. */
  readonly searchBeside?: readonly string[];
  /** Whether the searches come before or after the calls in the response. Default: after. */
  readonly besidePosition?: 'before' | 'behind';
  /**
   * Continues to search although all tools are visible: until all are loaded, or as long as there is a search
   * tool. By default the search stops when the queries are used up.
   */
  readonly keepsSearching?: 'until-all-is-loaded' | 'always';
  /** Text before the calls; none by default. */
  readonly say?: string;
}

/** The model's behaviour for one message of the user. */
export interface PlannedTurn {
  /**
   * Steps in order; each waits for the results of the previous one. Without steps, the model responds with
   * its text at once.
   */
  readonly steps?: readonly PlannedStep[];
  /** The final text. By default it is derived from the results of the last step. */
  readonly answer?: string;
}

/** A model's side of a whole conversation. */
export interface ModelPlan {
  /** One for each message of the user. Later messages get responses without calls. */
  readonly turns: readonly PlannedTurn[];
  /** The dialect of a Chat server; it should have the same rules. */
  readonly chatDialect?: ChatDialect;
  /** Whether the model thinks in every response, if the request allows it. Default: false. */
  readonly thinks?: boolean;
  /**
   * Whether the model searches by name for invisible tools, even if no search is planned: earlier results may
   * be lost with a session. Default: false.
   */
  readonly searchesAgain?: boolean;
  /**
   * Whether the model does as the search tool's text says: it asks in one call for all that the rest of the turn needs,
   * at most four phrases. By default, it searches for one step after another.
   */
  readonly plansAhead?: boolean;
  /**
   * Whether the model announces each search in a text. The text reaches the client, so the conversation
   * differs from a direct one.
   */
  readonly narratesSearches?: boolean;
  /** Default: `gateway_search_tools`. */
  readonly searchToolName?: string;
}
