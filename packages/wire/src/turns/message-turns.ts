import { type Edit, textOf } from '@winnow/core';
import type { HiddenTurn, RequestView, Turn } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import {
  type FormatTurns,
  type HiddenRound,
  hiddenRounds,
  rememberTurns,
  type TurnReading,
} from './remember-turns.ts';
import { replaceTurn } from './visible-form.ts';

/** The reading of messages in a format whose turns are one assistant message each. */
export interface MessageReading extends Pick<TurnReading, 'format'> {
  /** Returns the message that a client saw of these turns. */
  visibleMessage(turns: readonly Pick<Turn, 'message' | 'searches'>[]): JsonObject;
  callIdsOf(message: JsonObject): readonly string[];
  /** Returns the form of a message that is the same for all the ways in which clients send it back. */
  normalForm(message: JsonObject): string;
  /** Returns the text that identifies a message; undefined for one that does not count. */
  saidBy(message: JsonObject): string | undefined;
}

/** Returns the turn memory of such a format. */
export function messageTurns(reading: MessageReading): FormatTurns {
  const { format, visibleMessage, callIdsOf, normalForm, saidBy } = reading;
  return rememberTurns({
    format,
    shownIn: (rounds) => {
      const shown = visibleMessage(rounds.map(({ turn }) => turn));
      return {
        callIds: callIdsOf(shown),
        signatures: [],
        said: saidBy({ ...shown, role: 'assistant' }),
        visible: normalForm(shown),
      };
    },
    saidIn:
      ({ history }) =>
      (position) => {
        const message = history[position];
        return isJsonObject(message) ? saidBy(message) : undefined;
      },
    fit: ({ history, turns }, index, hidden) => {
      const message = history[turns[index]!.position] as JsonObject;
      return normalForm(message) === hidden.visible ? hidden : undefined;
    },
  });
}

/** The writers that restore turns in such a format. */
export interface MessageWriter {
  readonly turns: FormatTurns;
  /**
   * Turns the client's copy of a visible message into the last message of its hidden turn; undefined when
   * nothing remains.
   */
  restoreMessage(copyText: string, hidden: HiddenTurn): string | undefined;
  /** Returns the messages with the results of a round. */
  resultMessages(round: HiddenRound): readonly string[];
}

/**
 * Returns the edits that put hidden turns back around their visible turns. A visible turn that the client has
 * changed is left alone. The client's additions to the message stay.
 */
export function restoreMessages(
  view: RequestView,
  hiddenTurns: readonly HiddenTurn[],
  { turns, restoreMessage, resultMessages }: MessageWriter,
): Edit[] {
  const recalled = turns.recallByTurn(view, hiddenTurns);
  return view.turns.flatMap(({ position }, index) => {
    const hidden = recalled[index];
    if (hidden === undefined) return [];
    const { earlier, last } = hiddenRounds(hidden);
    const span = view.spans.history[position]!;
    // Results are written in their order: a tool is defined in the first one that names it.
    const before = earlier.flatMap((round) => [round.message, ...resultMessages(round)]);
    const spoken = restoreMessage(textOf(view.text, span), hidden) ?? [];
    return [replaceTurn(span, { before, spoken: [spoken].flat(), behind: resultMessages(last) })];
  });
}
