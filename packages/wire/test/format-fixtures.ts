import type { Format, Framing, Purpose, Usage } from '../src/index.ts';

/** The search tool's name in all fixtures. */
export const SEARCH = 'gateway_search_tools';

/** What the upstream says in the contract suite. Every format has an answer for each. */
export type AnswerName =
  /** A text, "Grüezi, 世界 👋". */
  | 'text'
  /** A call of `weather_get`, city "Zürich", with a text in front. */
  | 'call'
  /** Calls of `weather_get` and `mail_send`. */
  | 'two_calls'
  /** A text, then a search for "weather". */
  | 'search'
  /** Searches for "weather" and "mail". */
  | 'two_searches'
  /** A search for "mail" in front of a call of `weather_get`. */
  | 'search_beside_call'
  /** A call of `weather_get`, then a search for "mail". */
  | 'call_beside_search'
  /** A search whose arguments are no JSON. */
  | 'malformed_search'
  /** A text, then a search in which the limit of tokens was reached. */
  | 'cut_search';

/** The same answer, streamed as the provider streams it and whole. */
export interface WrittenResponse {
  /** The body of the stream, in `FormatFixtures.framing`. */
  readonly stream: string;
  readonly whole: string;
}

/** What a client makes of an answer. */
export interface ClientAnswer {
  readonly id: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  readonly stopReason: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The assistant's message as the client sends it back, in the format's JSON. */
  readonly message: string;
}

/** A request for a fixture to write. */
export interface RequestOptions {
  readonly isStream: boolean;
  /** The JSON of each tool, see `FormatFixtures.writeTool`. */
  readonly tools: readonly string[];
  /** Members of JSON in front of all others, such as `"seed":1,`. */
  readonly firstMembers?: string;
  /** The messages' JSON; a single question of the user's when absent. */
  readonly messages?: readonly string[];
}

/** What `testFormatContract` needs to know of a format. */
export interface FormatFixtures {
  readonly format: Format;
  /** The framing of the format's streams. */
  readonly framing: Framing;
  /** The path of every request, or of those for a whole response. */
  readonly path: string;
  /** The path of requests for a stream, where it is another. */
  readonly streamPath?: string;
  readonly routes: readonly (readonly [method: string, path: string, purpose: Purpose])[];
  readonly otherRoutes: readonly (readonly [method: string, path: string])[];
  /** The provider's stop reason when the limit of tokens was reached. */
  readonly cutReason: string;
  /** Its other reasons with which a response ends wherever it was. */
  readonly otherCutReasons: readonly string[];
  /** Whether calls come without ids, so that name and order alone pair them with their results. They have ids unless told. */
  readonly hasNoCallIds?: boolean;
  /** The usage of every response, streams included. */
  readonly usage: Usage;
  readonly answers: Readonly<Record<AnswerName, WrittenResponse>>;
  /** What the data of an event say, where they are written in another way; the data themselves without this function. */
  readData?(data: string): string;
  /** The other way round. */
  writeData?(said: string): string;
  /** An error within a stream, as the provider writes it. `message` is its text. */
  writeStreamError(message: string): string;
  /** The member of a body that declares the tools, as a key of JSON. */
  readonly toolsKey: string;
  /** The value of that member. */
  writeTools(entries: readonly string[]): string;
  writeTool(name: string, description: string): string;
  /** Names of the tools of a parsed body, in order, wherever they stand in it. */
  toolNamesIn(body: Readonly<Record<string, unknown>>): readonly string[];
  /** The history of a parsed body. */
  historyIn(body: Readonly<Record<string, unknown>>): readonly unknown[];
  /** A parsed body without its history. */
  withoutHistory(body: Readonly<Record<string, unknown>>): unknown;
  /** Texts of bodies that are JSON and none of this format. */
  readonly otherShapes: readonly string[];
  /** Usage is asked for where the client of a stream has to ask. */
  writeRequest(options: RequestOptions): string;
  writeUserMessage(text: string): string;
  /** The messages with which a client goes on after an answer: its copy, and results of its calls if there were any. */
  goOn(answer: ClientAnswer): readonly string[];
  /**
   * Reads a joined stream as the strictest client does: throws unless there is one start, contiguous indexes, one stop,
   * one usage and one end.
   */
  readStream(stream: string): ClientAnswer;
  readWhole(body: string): ClientAnswer;
}

/** The path of a request. */
export function pathOf({ path, streamPath = path }: FormatFixtures, isStream: boolean): string {
  return isStream ? streamPath : path;
}
