import type { RequestView, TurnKeys } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type Conversation, keyOfOpening, keysOfNextTurn, keysOfTurns } from '../turns/turn-keys.ts';
import { callsOf, isOfModel, partsOf, responseOf } from './read-contents.ts';
import { partsOfTurn } from './read-request.ts';
import { signaturesOf, visibleForm } from './visible-form.ts';

/** The keys of each visible turn. */
export function historyKeys(view: RequestView): TurnKeys[] {
  return keysOfTurns(conversationOf(view));
}

/** The key of what was said before the first turn of the model. */
export function openingKey(view: RequestView): string {
  return keyOfOpening(conversationOf(view), view.turns[0]?.position ?? view.history.length);
}

/** The keys of a turn of these parts that follows the history. */
export function keysOfShown(view: RequestView, shown: readonly JsonObject[]): TurnKeys {
  return keysOfNextTurn(conversationOf(view), marksOf(shown), saidByModel(shown));
}

const conversationOf = rememberBy(
  ({ history, turns, toolSection }: RequestView): Conversation => ({
    turns: turns.map(({ position }) => ({ position, ...marksOf(partsOfTurn(history, position)) })),
    length: history.length,
    toolSection,
    saidAt: (position) => {
      const content = history[position];
      if (!isJsonObject(content)) return undefined;
      if (!isOfModel(content)) return `user:${partsOf(content).map(saidInPart).join()}`;
      // A turn counts once, where it begins.
      return isOfModel(history[position - 1]) ? undefined : saidByModel(partsOfTurn(history, position));
    },
  }),
);

function marksOf(parts: readonly JsonObject[]) {
  return { callIds: callsOf(parts).map(({ key }) => key), signatures: signaturesOf(parts) };
}

function saidByModel(parts: readonly JsonObject[]): string {
  return `model:${visibleForm(parts)}`;
}

/** Results of functions count: conversations that read alike but for those are not the same. */
function saidInPart(part: JsonObject): string {
  const response = responseOf(part);
  if (response !== undefined) return JSON.stringify([response.name, response.response]);
  return typeof part.text === 'string' ? part.text : visibleForm([part]);
}
