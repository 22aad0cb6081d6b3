import type { Format, ResponseAlias } from '@winnow/wire';
import type { Beginning } from './beginning.ts';
import { LASTING } from './session-store.ts';
import type { Verdict } from './verdict.ts';

/** The known facts about a response that the provider stores, and about its conversation. */
export interface KnownResponse {
  readonly alias: ResponseAlias;
  readonly verdict: Verdict;
  /** The key of its session. */
  readonly session: string;
  /** The session's place among all; undefined if the session could not be identified. */
  readonly bucket?: number | undefined;
  /**
   * Names of the functions that its conversation has shown from its start, as the provider keeps the history
   * that they follow from.
   */
  readonly kept: readonly string[];
  /** The beginning of its conversation, which a request that continues from it does not contain. */
  readonly beginning?: Beginning | undefined;
}

/** Returns the key of the note about a response, by the id that the client knows. */
export function responseNoteKey(id: string, { name }: Pick<Format, 'name'>): string {
  return `${LASTING}${name} ${id}`;
}

/** Serialises the facts as a note's value. */
export function writeKnownResponse(known: KnownResponse): string {
  return JSON.stringify(known);
}

/** Parses the value from `writeKnownResponse`: notes are sealed, so it has no other source. */
export function readKnownResponse(value: string): KnownResponse {
  return JSON.parse(value) as KnownResponse;
}
