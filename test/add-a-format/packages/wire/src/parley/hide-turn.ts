import type { HiddenTurn, RequestView, Round, TurnKeys } from '../format/view.ts';
import { foundNames } from '../turns/kept-result.ts';
import { hashText } from '../turns/turn-keys.ts';
import { speechesOf } from './edit-request.ts';
import type { Speech } from './read-request.ts';

/** The part of an exchange that the client has not seen. */
export function hideTurn(_: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  if (rounds.every(({ turn }) => turn.searches.length === 0)) return undefined;
  return {
    format: 'parley',
    keys: shownKeys(rounds),
    names: foundNames(rounds),
    visible: '',
    before: rounds.slice(0, -1).flatMap(speechesOf),
    message: rounds.at(-1)!.turn.message,
    results: [],
  };
}

/** The keys of the visible part of these rounds. */
export function shownKeys(rounds: readonly Round[]): TurnKeys {
  const speeches = rounds.map(({ turn }) => JSON.parse(turn.message) as Speech);
  const words = speeches.map((speech) => speech.words ?? '').join('');
  return keysOf({ who: 'machine', words, asks: speeches.at(-1)?.asks ?? [] });
}

/** The keys of a turn of the model. */
export function keysOf(speech: Speech): TurnKeys {
  return { own: [turnKey(speech)], conversation: undefined };
}

/** Returns the content that makes two copies of a turn equal. */
function turnKey({ words = '', asks = [] }: Speech): string {
  return hashText(JSON.stringify([words, asks.map(({ ticket }) => ticket)]));
}
