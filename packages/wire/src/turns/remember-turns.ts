import type { TurnMemory } from '../format/request-parts.ts';
import type { HiddenTurn, RequestView, Round, TurnKeys } from '../format/view.ts';
import { rememberBy, rememberOn } from '../remember-by.ts';
import { foundNames, type KeptResult, keepResults } from './kept-result.ts';
import {
  type Conversation,
  keyOfOpening,
  keysOfNextTurn,
  keysOfTurns,
  type SpokenTurn,
} from './turn-keys.ts';

/** A turn as the client sees it. */
interface ShownTurn extends Omit<SpokenTurn, 'position'> {
  /** Its text for keys, without thinking. */
  readonly said: string | undefined;
  /** Its normal form: a turn that reads differently is left alone. */
  readonly visible: string;
}

/** The reading of turns in a format. */
export interface TurnReading {
  /** The format's name in hidden turns. */
  readonly format: string;

  /** Returns the turn that the client sees of these rounds, at least one; undefined when it sees nothing. */
  shownIn(rounds: readonly Round[], view: RequestView): ShownTurn | undefined;

  /** Returns the text of each message of a history, by position. */
  saidIn(view: RequestView): Conversation['saidAt'];

  /** Returns the hidden turn to put back at a visible turn; undefined when that turn has changed. */
  fit(view: RequestView, index: number, hidden: HiddenTurn, by: FoundBy): HiddenTurn | undefined;

  /** Returns the identifying marks of a visible turn other than ids of calls. None by default. */
  marksAt?(view: RequestView, index: number): Partial<Pick<SpokenTurn, 'signatures' | 'item'>>;

  /** Returns the model's last message, without the parts that no history may contain. */
  messageOf?(last: Round): string;

  /** Returns the results of a round to keep; one for each of its searches by default. */
  keep?(round: Round): readonly KeptResult[];
}

/** The turns of a format, remembered and recalled. */
export interface FormatTurns extends TurnMemory {
  readonly format: string;

  /** Returns the hidden turn to put back at each visible turn. */
  recallByTurn(view: RequestView, hiddenTurns: readonly HiddenTurn[]): readonly (HiddenTurn | undefined)[];
}

/** Returns the turn memory of a format. */
export function rememberTurns(reading: TurnReading): FormatTurns {
  const { format } = reading;
  const conversationOf = conversationReader(reading);
  const historyKeys = (view: RequestView) => keysOfTurns(conversationOf(view));
  const shownIn = (view: RequestView, rounds: readonly Round[]) =>
    rounds.length === 0 ? undefined : reading.shownIn(rounds, view);
  const keysOf = (view: RequestView, { said, ...turn }: ShownTurn): TurnKeys =>
    keysOfNextTurn(conversationOf(view), turn, said);
  const recallByTurn = rememberOn((view: RequestView, hiddenTurns: readonly HiddenTurn[]) => {
    const ours = hiddenTurns.filter((hidden) => hidden.format === format);
    if (ours.length === 0) return [];
    return recallTurns(historyKeys(view), ours, (index, hidden, by) => reading.fit(view, index, hidden, by));
  });
  return {
    format,
    historyKeys,
    openingKey: (view) => keyOfOpening(conversationOf(view), view.turns[0]?.position ?? view.history.length),
    shownKeys: (view, rounds) => {
      const shown = shownIn(view, rounds);
      return shown && keysOf(view, shown);
    },
    recallByTurn,
    recall: (view, hiddenTurns) => recallByTurn(view, hiddenTurns).filter((hidden) => hidden !== undefined),
    hideTurn: (view, rounds) => {
      if (rounds.every(({ turn }) => turn.searches.length === 0 && turn.exact === undefined))
        return undefined;
      const shown = shownIn(view, rounds);
      return shown && hide(rounds, reading, { keys: keysOf(view, shown), visible: shown.visible });
    },
  };
}

function conversationReader({ marksAt, saidIn }: TurnReading): (view: RequestView) => Conversation {
  return rememberOn((view: RequestView) => ({
    turns: view.turns.map((turn, index) => ({ ...turn, signatures: [], ...marksAt?.(view, index) })),
    length: view.history.length,
    toolSection: view.toolSection,
    saidAt: saidIn(view),
    hashes: [],
  }));
}

/**
 * Makes a hidden turn. For each round but the last, `before` has the model's message and the list of its
 * `KeptResult`s.
 */
function hide(
  rounds: readonly Round[],
  { format, messageOf, keep = keepResults }: TurnReading,
  { keys, visible }: Pick<HiddenTurn, 'keys' | 'visible'>,
): HiddenTurn {
  const last = rounds.at(-1)!;
  const exact = rounds.flatMap(({ turn }) => turn.exact ?? []);
  return {
    format,
    keys,
    names: foundNames(rounds),
    visible,
    before: rounds.slice(0, -1).flatMap((round) => [round.turn.message, JSON.stringify(keep(round))]),
    message: messageOf?.(last) ?? last.turn.message,
    results: keep(last).map((result) => JSON.stringify(result)),
    ...(exact.length > 0 && { exact }),
  };
}

/** A round in its kept form: the model's message, and the results of its searches. */
export interface HiddenRound {
  readonly message: string;
  readonly results: readonly KeptResult[];
}

interface HiddenRounds {
  readonly earlier: readonly HiddenRound[];
  readonly last: HiddenRound;
}

/** Returns the rounds of a hidden turn in order: those before its visible part, and the one that holds it. */
export const hiddenRounds = rememberBy(({ before, message, results }: HiddenTurn): HiddenRounds => {
  const earlier = before.flatMap((part, index) =>
    index % 2 === 0 ? [{ message: part, results: JSON.parse(before[index + 1]!) as KeptResult[] }] : [],
  );
  return { earlier, last: { message, results: results.map((one) => JSON.parse(one) as KeptResult) } };
});

/** The kind of key that found a hidden turn. */
type FoundBy = 'own' | 'conversation';

/**
 * Returns the hidden turn for each visible turn, given by its keys. `fit` returns the hidden turn to put back
 * at a visible turn, or undefined if that has changed.
 *
 * An own key that two different turns share finds neither. If several turns end the same conversation, the
 * first one counts, as in a session store.
 */
export function recallTurns(
  visible: readonly TurnKeys[],
  hiddenTurns: readonly HiddenTurn[],
  fit: (index: number, hidden: HiddenTurn, by: FoundBy) => HiddenTurn | undefined,
): (HiddenTurn | undefined)[] {
  if (hiddenTurns.length === 0) return visible.map(() => undefined);
  const known = byKey(hiddenTurns);
  return visible.map(({ own, conversation }, index) => {
    for (const key of conversation === undefined ? own : [...own, conversation]) {
      const hidden = known.get(key);
      const fitting = hidden && fit(index, hidden, key === conversation ? 'conversation' : 'own');
      if (fitting) return fitting;
    }
    return undefined;
  });
}

function byKey(hiddenTurns: readonly HiddenTurn[]): Map<string, HiddenTurn | undefined> {
  const known = new Map<string, HiddenTurn | undefined>();
  for (const hidden of hiddenTurns) {
    const { own, conversation } = hidden.keys;
    for (const key of own) {
      const isFree = !known.has(key) || isEqualTurn(known.get(key), hidden);
      known.set(key, isFree ? hidden : undefined);
    }
    if (conversation !== undefined && !known.has(conversation)) known.set(conversation, hidden);
  }
  return known;
}

function isEqualTurn(one: HiddenTurn | undefined, other: HiddenTurn): boolean {
  return one === other || (one !== undefined && JSON.stringify(one) === JSON.stringify(other));
}
