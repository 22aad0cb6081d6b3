import type { Format, Framing, Purpose, Usage } from '../src/index.ts';

/** The search tool's name in all fixtures. */
export const SEARCH = 'gateway_search_tools';

/** The bridge tool's name in all fixtures. */
export const BRIDGE = 'gateway_call_tool';

/** The responses of the upstream in the contract suite. Every format has an answer for each. */
export type AnswerName =
  /** A text, "Grüezi, 世界 👋". */
  | 'text'
  /** A text, then a call of `weather_get` with the city "Zürich". */
  | 'call'
  /** Calls of `weather_get` and `mail_send`. */
  | 'two_calls'
  /** A text, then a search for "weather". */
  | 'search'
  /** Searches for "weather" and "mail". */
  | 'two_searches'
  /** A search for "mail", then a call of `weather_get`. */
  | 'search_beside_call'
  /** A call of `weather_get`, then a search for "mail". */
  | 'call_beside_search'
  /** A search whose arguments are not JSON. */
  | 'malformed_search'
  /** A text, then a search that the token limit cut off. */
  | 'cut_search';

/** The same answer, streamed and whole. */
export interface WrittenResponse {
  /** The body of the stream, in `FormatFixtures.framing`. */
  readonly stream: string;
  readonly whole: string;
}

/** An answer as a client reads it. */
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

/** The parts of a request that a fixture writes. */
export interface RequestOptions {
  readonly isStream: boolean;
  /** The JSON of each tool, see `FormatFixtures.writeTool`. */
  readonly tools: readonly string[];
  /** JSON members before all others, such as `"seed":1,`. */
  readonly firstMembers?: string;
  /** The messages' JSON; a single user question when absent. */
  readonly messages?: readonly string[];
}

/** A response to write. */
export interface AnswerToWrite {
  readonly id: string;
  /** Nothing by default. */
  readonly text?: string;
  /** Calls in order; `arguments` is JSON text. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** The pieces in which a stream sends the arguments of a call; two by default. */
  readonly piecesOf?: (text: string) => readonly string[];
  /** Whether a stream sends the pieces of all calls in turn, as far as the format allows. False by default. */
  readonly isAlternating?: boolean;
  /** Whether the token limit cut the last call off. False by default. */
  readonly isCut?: boolean;
}

/** The fixtures of a format for `testFormatContract`. */
export interface FormatFixtures {
  readonly format: Format;
  /** The framing of the format's streams. */
  readonly framing: Framing;
  /** The path of every request, or of those for a whole response. */
  readonly path: string;
  /** The path of requests for a stream, if it differs. */
  readonly streamPath?: string;
  readonly routes: readonly (readonly [method: string, path: string, purpose: Purpose])[];
  readonly otherRoutes: readonly (readonly [method: string, path: string])[];
  /** The provider's stop reason for the token limit. */
  readonly cutReason: string;
  /** Its other stop reasons that cut a response off. */
  readonly otherCutReasons: readonly string[];
  /**
   * Whether calls have no ids, so that only name and order pair them with their results. False by default.
   */
  readonly hasNoCallIds?: boolean;
  /** The usage of every response, streams included. */
  readonly usage: Usage;
  readonly answers: Readonly<Record<AnswerName, WrittenResponse>>;
  /** Whether the arguments of calls are text, which is sent back as the model wrote it. False by default. */
  readonly keepsArguments?: boolean;
  /** Whether no request can say that the model must not call. False by default. */
  readonly cannotForbidCalls?: boolean;
  /** JSON members with which a client chooses tools itself, each followed by a comma. */
  readonly ownChoices?: readonly string[];
  /** Whether a call is always one part of a stream. False by default. */
  readonly hasWholeCalls?: boolean;
  /** Writes any response; formats with bridge mode have it. */
  writeAnswer?(answer: AnswerToWrite): WrittenResponse;
  /** Decodes the data of an event; without this function, they are used as they are. */
  readData?(data: string): string;
  /** The inverse. */
  writeData?(said: string): string;
  /** Returns an error within a stream, as the provider writes it. `message` is its text. */
  writeStreamError(message: string): string;
  /** The member of a body that declares the tools, as a key of JSON. */
  readonly toolsKey: string;
  /** The value of that member. */
  writeTools(entries: readonly string[]): string;
  writeTool(name: string, description: string): string;
  /** Returns the names of all tools in a parsed body, in order. */
  toolNamesIn(body: Readonly<Record<string, unknown>>): readonly string[];
  /** The history of a parsed body. */
  historyIn(body: Readonly<Record<string, unknown>>): readonly unknown[];
  /** A parsed body without its history. */
  withoutHistory(body: Readonly<Record<string, unknown>>): unknown;
  /** Bodies that are JSON but not of this format. */
  readonly otherShapes: readonly string[];
  /** Whether usage is requested, in a format whose stream clients have to ask for it. */
  writeRequest(options: RequestOptions): string;
  writeUserMessage(text: string): string;
  /**
   * Returns the messages with which a client continues after an answer: its copy, and results of its calls if
   * any.
   */
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
