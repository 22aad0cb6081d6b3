import type { JsonObject } from '@winnow/testkit';

/** A tool, independent of a provider's shape. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: JsonObject;
  /** Sent only where the format has the member. */
  readonly strict?: boolean;
}

/** The first request of a conversation. */
export interface Ask {
  readonly user: string;
  readonly isStream?: boolean;
  readonly system?: string;
  readonly tools?: readonly ClientTool[];
  /** The model must call a tool, must not, or must call this one. */
  readonly choice?: 'required' | 'none' | { readonly name: string };
  readonly thinks?: boolean;
  /** Whether the client marks the end of the system prompt for the prompt cache, where clients do that. */
  readonly isMarked?: boolean;
}

/** A call that a response contains. */
export interface ClientCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The client's words after a response: the results of its calls, or the user's next message. */
export type Reply =
  | { readonly user: string }
  | { readonly results: readonly { readonly call: ClientCall; readonly text: string }[] };

/** The bytes of a stream: server-sent events, lines of JSON, or Amazon's binary frames. */
export type Framing = 'sse' | 'lines' | 'frames';

/** Headers as names and values, in order. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/**
 * The client's side of a wire format.
 *
 * Contract: pure. `open` and `proceed` write what the vendor's own client would send.
 */
export interface ClientFormat {
  readonly name: FormatName;
  readonly title: string;
  /** The vendor's own client. */
  readonly sdk: string;
  readonly model: string;
  readonly framing: Framing;
  /** Returns the headers for the credential and the version. */
  headers(key: string): HeaderList;
  /** Returns the path of a request. */
  path(model: string, isStream: boolean): string;
  open(ask: Ask, model: string): JsonObject;
  /** Returns the next request of a conversation, given the whole response to the last one. */
  proceed(body: JsonObject, response: JsonObject, reply: Reply): JsonObject;
  /** Returns the calls in a whole response. */
  callsIn(response: JsonObject): ClientCall[];
}

/** All formats, by the name of the provider's route. */
export const FORMAT_NAMES = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'gemini-interactions',
  'ollama-chat',
  'bedrock-converse',
  'bedrock-invoke',
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];
