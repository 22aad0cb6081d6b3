import { isDeepStrictEqual } from 'node:util';
import type { Turn } from '../format/view.ts';
import { parseObject, spanAt, withChangesAt } from '../json/json-members.ts';
import { type JsonObject, type MemberChanges, textOf } from '../json/json-splice.ts';
import { identityIn } from './edit-chunk.ts';
import { callsOf } from './read-message.ts';
import { visibleMessage } from './visible-message.ts';

/** One whole response of an exchange. */
export interface WholeRound {
  readonly text: string;
  readonly turn: Turn;
}

/**
 * Whole responses as one: the last, with the first one's id and time, the words of all, without searches, and this usage. `choice` are changes of the
 * last response's choice.
 */
export function joinWhole(
  rounds: readonly WholeRound[],
  usage: JsonObject | undefined,
  choice: MemberChanges,
): string {
  const { text } = rounds.at(-1)!;
  const root = {
    ...identityIn(rounds[0]!.text),
    ...(usage !== undefined && { usage: JSON.stringify(usage) }),
  };
  return withChangesAt(text, [
    [[], root],
    [['choices'], choice],
    [MESSAGE, messageChanges(text, rounds)],
  ]);
}

const MESSAGE = ['choices', 'message'];

function messageChanges(text: string, rounds: readonly WholeRound[]): MemberChanges {
  const span = spanAt(text, MESSAGE);
  const own = span && parseObject(textOf(text, span));
  if (own === undefined) return {};
  const joined = visibleMessage(rounds.map(({ turn }) => turn));
  return {
    ...changedFields(own, joined),
    ...(callsOf(joined).length === 0 && { tool_calls: undefined }),
  };
}

function changedFields(own: JsonObject, joined: JsonObject): MemberChanges {
  return Object.fromEntries(
    Object.entries(joined).flatMap(([field, value]) =>
      isSame(own[field], value) ? [] : [[field, JSON.stringify(value)]],
    ),
  );
}

/** Whether two values are equal. One that is nested too deeply to be compared, or written, is the last response's own. */
function isSame(own: unknown, joined: unknown): boolean {
  try {
    return isDeepStrictEqual(own, joined);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return true;
  }
}
