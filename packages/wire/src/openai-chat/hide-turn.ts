import type { JsonObject } from '../json-splice.ts';
import type { HiddenTurn, RequestView, Round } from '../view.ts';
import { messagesOfRound, resultMessages } from './continue-request.ts';
import { FORMAT_NAME } from './format-name.ts';
import { objectsIn } from './read-message.ts';
import { normalForm, turnKeys, visibleMessage } from './visible-message.ts';

/** What the client has not seen of an exchange; undefined when it saw everything. */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  const last = rounds.at(-1);
  if (last === undefined || rounds.every(({ turn }) => turn.searches.length === 0)) return undefined;
  const hiddenIds = new Set(rounds.flatMap(({ turn }) => turn.searches.map(({ id }) => id)));
  const messages = rounds.map(({ turn }) => JSON.parse(turn.message) as JsonObject);
  const visible = visibleMessage(messages, hiddenIds);
  const place = { ordinal: view.turns.length, previous: objectsIn(view.body.messages).at(-1) };
  return {
    format: FORMAT_NAME,
    keys: turnKeys(visible, place),
    visible: normalForm(visible),
    before: rounds.slice(0, -1).flatMap(messagesOfRound),
    message: last.turn.message,
    results: resultMessages(last),
  };
}
