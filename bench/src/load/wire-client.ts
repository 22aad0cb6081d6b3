import type { ConversationTurn, PastCall, PastResult } from '@winnow/testkit';
import type { Dialogue } from './dialogue.ts';

/** An answer as a client has it in the end. */
export interface ClientAnswer {
  /** Undefined in formats whose responses have none. */
  readonly id: string | undefined;
  readonly text: string;
  /** All thinking in one. */
  readonly thoughts: string;
  readonly calls: readonly PastCall[];
  readonly stop: string;
  /** What goes into the history. */
  readonly message: object;
}

/**
 * A client of one wire format, as plain as one can be written.
 *
 * Contract: stateless. `readStream` and `readWhole` throw when an answer is not one that every client library could read: not ended,
 * in the wrong order, with numbers left out.
 */
export interface WireClient {
  readonly path: string;
  /** The path of a dialogue's requests, where it is not the same for all of them. */
  pathOf?(dialogue: Dialogue): string;
  headers(dialogue: Dialogue): Record<string, string>;
  /** The body of a request with this history. */
  writeBody(dialogue: Dialogue, history: readonly object[]): string;
  /** A message of the user's; `{ role, content }` when it is left out. */
  writeUser?(text: string): object;
  /** The calls of an answer under ids, in a format that has none. `turns` are those before it. */
  identify?(calls: readonly PastCall[], turns: readonly ConversationTurn[]): readonly PastCall[];
  /** The messages that carry the results of one answer's calls. */
  writeResults(results: readonly PastResult[]): object[];
  /** The events of a stream that is no text, as they are given to `readStream`. */
  readEvents?(body: Buffer): readonly string[];
  /** `events` are the data of each event, or the lines of a stream without events, unparsed. */
  readStream(events: readonly string[]): ClientAnswer;
  readWhole(json: string): ClientAnswer;
  /** What an answer that ended well says as its stop reason. */
  readonly stops: { readonly text: string; readonly calls: string };
}

/** An answer that no client should have to read. */
export class UnreadableAnswer extends Error {}

/** Throws when something that must hold of an answer does not. */
export function insist(condition: boolean, what: string): asserts condition {
  if (!condition) throw new UnreadableAnswer(what);
}
