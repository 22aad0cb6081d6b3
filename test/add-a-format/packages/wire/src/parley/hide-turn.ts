import type { HiddenTurn, RequestView, Round, TurnKeys } from '../format/view.ts';
import { hashText } from '../hash-text.ts';
import { foundNames } from '../turns/kept-result.ts';
import { speechesOf } from './edit-request.ts';
import type { Speech } from './read-request.ts';

/** What the client has not seen of an exchange. */
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

/** The keys of what the client sees of these rounds. */
export function shownKeys(rounds: readonly Round[]): TurnKeys {
  const speeches = rounds.map(({ turn }) => JSON.parse(turn.message) as Speech);
  const words = speeches.map((speech) => speech.words ?? '').join('');
  return keysOf({ who: 'machine', words, asks: speeches.at(-1)?.asks ?? [] });
}

/** The keys of a turn of the machine. */
export function keysOf(speech: Speech): TurnKeys {
  return { own: [turnKey(speech)], conversation: undefined };
}

/** What makes two copies of a turn the same one. */
function turnKey({ words = '', asks = [] }: Speech): string {
  return hashText(JSON.stringify([words, asks.map(({ ticket }) => ticket)]));
}
