import { isDeepStrictEqual } from 'node:util';
import type { Turn } from '../format/view.ts';
import {
  changeMembers,
  type Edit,
  type JsonObject,
  type MemberChanges,
  splice,
} from '../json/json-splice.ts';
import { editChunk, rawMembers } from './edit-chunk.ts';
import { callsOf } from './read-message.ts';
import { messageSpan } from './round-reader.ts';
import { answeredMessage, visibleMessage } from './visible-message.ts';

/** One whole response of an exchange. */
export interface WholeRound {
  readonly text: string;
  readonly turn: Turn;
}

/** What the joined response takes from elsewhere than the last response. */
export interface WholeEnd {
  /** What the client is shown of all usages; undefined when no response had any. */
  readonly usage: JsonObject | undefined;
  /** The stop reason, when it is another than the last response's. */
  readonly stopReason: string | undefined;
}

/**
 * Whole responses as one: the last, with the first one's id and time, what all of them said, without searches, and the
 * usage of all.
 */
export function joinWhole(rounds: readonly WholeRound[], { usage, stopReason }: WholeEnd): string {
  const last = rounds.at(-1)!;
  const root = {
    ...rawMembers(rounds[0]!.text, ['id', 'created']),
    ...(usage !== undefined && { usage: JSON.stringify(usage) }),
  };
  const choice = stopReason === undefined ? {} : { finish_reason: JSON.stringify(stopReason) };
  const edited = editChunk(last.text, { root, choice });
  return splice(edited, joinedMessage(edited, rounds));
}

function joinedMessage(text: string, rounds: readonly WholeRound[]): Edit[] {
  const span = messageSpan(text, 'message');
  if (span === undefined) return [];
  const own = JSON.parse(text.slice(span.start, span.end)) as JsonObject;
  const joined = visibleMessage(rounds.map(({ turn }) => answeredMessage(turn)));
  const changes: Record<string, string | undefined> = { ...changedFields(own, joined) };
  if (callsOf(joined).length === 0) changes.tool_calls = undefined;
  return changeMembers(text, span, changes);
}

function changedFields(own: JsonObject, joined: JsonObject): MemberChanges {
  return Object.fromEntries(
    Object.entries(joined).flatMap(([field, value]) =>
      isSame(own[field], value) ? [] : [[field, JSON.stringify(value)]],
    ),
  );
}

/** What is nested too deeply to be compared, or written, is the last response's own. */
function isSame(own: unknown, joined: unknown): boolean {
  try {
    return isDeepStrictEqual(own, joined);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return true;
  }
}
