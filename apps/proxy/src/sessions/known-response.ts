import type { Format, ResponseAlias } from '@winnow/wire';
import { LASTING } from './session-store.ts';
import type { Verdict } from './verdict.ts';

/** What is known of a response that the provider stores, and of the conversation that it belongs to. */
export interface KnownResponse {
  readonly alias: ResponseAlias;
  readonly verdict: Verdict;
  /** The key of its session. */
  readonly session: string;
  /** Where that stands among all; undefined when nothing told it apart. */
  readonly bucket?: number | undefined;
  /** Names of the functions that its conversation has shown from its start: what they follow from stays with the provider. */
  readonly kept: readonly string[];
}

/** The key of the note about a response, by the id that the client has of it. */
export function responseNoteKey(id: string, { name }: Pick<Format, 'name'>): string {
  return `${LASTING}${name} ${id}`;
}

/** As a note's value. */
export function writeKnownResponse(known: KnownResponse): string {
  return JSON.stringify(known);
}

/** What `writeKnownResponse` wrote: notes are sealed, so that nobody else has. */
export function readKnownResponse(value: string): KnownResponse {
  return JSON.parse(value) as KnownResponse;
}
