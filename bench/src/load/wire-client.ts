import type { ConversationTurn, PastCall, PastResult } from '@winnow/testkit';
import type { Dialogue } from './dialogue.ts';

/** A complete response, as a client sees it. */
export interface ClientAnswer {
  /** Undefined in formats whose responses have no id. */
  readonly id: string | undefined;
  readonly text: string;
  /** The text of all thinking. */
  readonly thoughts: string;
  readonly calls: readonly PastCall[];
  readonly stop: string;
  /** Messages to append to the history. */
  readonly message: object;
}

/**
 * A minimal client of one wire format.
 *
 * Contract: stateless. `readStream` and `readWhole` throw if not every client library could read the
 * response: incomplete, out of order, or with gaps in its numbering.
 */
export interface WireClient {
  readonly path: string;
  /** The path of a dialogue's requests, if it varies. */
  pathOf?(dialogue: Dialogue): string;
  headers(dialogue: Dialogue): Record<string, string>;
  /** Returns the body of a request with this history. */
  writeBody(dialogue: Dialogue, history: readonly object[]): string;
  /** Returns a message of the user; `{ role, content }` by default. */
  writeUser?(text: string): object;
  /** Gives ids to the calls of a response, in a format without ids. `turns` are those before the response. */
  identify?(calls: readonly PastCall[], turns: readonly ConversationTurn[]): readonly PastCall[];
  /** Returns the messages that carry the results of one response's calls. */
  writeResults(results: readonly PastResult[]): object[];
  /** Returns the events of a binary stream, in the form that `readStream` takes. */
  readEvents?(body: Buffer): readonly string[];
  /**
   * Reads a stream. `events` are the data of each event, or the lines of a stream without events, unparsed.
   */
  readStream(events: readonly string[]): ClientAnswer;
  readWhole(json: string): ClientAnswer;
  /** Returns the expected stop reason of a response that ended well. */
  readonly stops: { readonly text: string; readonly calls: string };
}

/** A response that no client should have to read. */
export class UnreadableAnswer extends Error {}

/** Throws if a requirement of a response is not met. */
export function insist(condition: boolean, what: string): asserts condition {
  if (!condition) throw new UnreadableAnswer(what);
}
