import type { TurnMemory } from '../format/turn-memory.ts';
import type { HiddenTurn, RequestView, Round, TurnKeys } from '../format/view.ts';
import { rememberBy } from '../remember-by.ts';
import { foundNames, type KeptResult, keepResults } from './kept-result.ts';
import { type FoundBy, recallTurns } from './recall-turns.ts';
import {
  type Conversation,
  keyOfOpening,
  keysOfNextTurn,
  keysOfTurns,
  type SpokenTurn,
} from './turn-keys.ts';

/** A turn as the client sees it. */
export interface ShownTurn extends Omit<SpokenTurn, 'position'> {
  /** Its words for keys, thinking apart. */
  readonly said: string | undefined;
  /** Its normal form: a turn that reads otherwise is left alone. */
  readonly visible: string;
}

/** How turns read in a format. */
export interface TurnReading {
  /** The format's name in hidden turns. */
  readonly format: string;

  /** The turn that the client sees of these rounds, at least one; undefined when it sees nothing. */
  shownIn(rounds: readonly Round[], view: RequestView): ShownTurn | undefined;

  /** The words of each message of a history, by position. */
  saidIn(view: RequestView): Conversation['saidAt'];

  /** The hidden turn as it is put back at the visible turn of an index; undefined when that turn reads otherwise. */
  fit(view: RequestView, index: number, hidden: HiddenTurn, by: FoundBy): HiddenTurn | undefined;

  /** The marks of the visible turn of an index other than ids of calls. None by default. */
  marksAt?(view: RequestView, index: number): Partial<Pick<SpokenTurn, 'signatures' | 'item'>>;

  /** The last message of the model, where not all of it may stand in a history. */
  messageOf?(last: Round): string;

  /** The results of a round to keep; one for each of its searches by default. */
  keep?(round: Round): readonly KeptResult[];
}

/** The turns of a format, remembered and recalled. */
export interface FormatTurns extends TurnMemory {
  readonly format: string;

  /** For each visible turn, the hidden turn that is put back there. */
  recallByTurn(view: RequestView, hiddenTurns: readonly HiddenTurn[]): readonly (HiddenTurn | undefined)[];
}

/** The memory of a format whose turns read like this. */
export function rememberTurns(reading: TurnReading): FormatTurns {
  const { format } = reading;
  const conversationOf = conversationReader(reading);
  const historyKeys = (view: RequestView) => keysOfTurns(conversationOf(view));
  const shownIn = (view: RequestView, rounds: readonly Round[]) =>
    rounds.length === 0 ? undefined : reading.shownIn(rounds, view);
  const keysOf = (view: RequestView, { said, ...turn }: ShownTurn): TurnKeys =>
    keysOfNextTurn(conversationOf(view), turn, said);
  const recallByTurn = (view: RequestView, hiddenTurns: readonly HiddenTurn[]) => {
    const ours = hiddenTurns.filter((hidden) => hidden.format === format);
    if (ours.length === 0) return [];
    return recallTurns(historyKeys(view), ours, (index, hidden, by) => reading.fit(view, index, hidden, by));
  };
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
      if (rounds.every(({ turn }) => turn.searches.length === 0)) return undefined;
      const shown = shownIn(view, rounds);
      return shown && hide(rounds, reading, { keys: keysOf(view, shown), visible: shown.visible });
    },
  };
}

function conversationReader({ marksAt, saidIn }: TurnReading): (view: RequestView) => Conversation {
  return rememberBy((view: RequestView) => ({
    turns: view.turns.map((turn, index) => ({ ...turn, signatures: [], ...marksAt?.(view, index) })),
    length: view.history.length,
    toolSection: view.toolSection,
    saidAt: saidIn(view),
  }));
}

/** Rounds as they are kept: `before` has, for each round but the last, the model's message and the list of its `KeptResult`s. */
function hide(
  rounds: readonly Round[],
  { format, messageOf, keep = keepResults }: TurnReading,
  { keys, visible }: Pick<HiddenTurn, 'keys' | 'visible'>,
): HiddenTurn {
  const last = rounds.at(-1)!;
  return {
    format,
    keys,
    names: foundNames(rounds),
    visible,
    before: rounds.slice(0, -1).flatMap((round) => [round.turn.message, JSON.stringify(keep(round))]),
    message: messageOf?.(last) ?? last.turn.message,
    results: keep(last).map((result) => JSON.stringify(result)),
  };
}

/** A round as it was kept: the model's message, and the results of its searches. */
export interface HiddenRound {
  readonly message: string;
  readonly results: readonly KeptResult[];
}

/** The rounds of a hidden turn in order: those in front of its visible part, and the one that holds it. */
export function hiddenRounds({ before, message, results }: HiddenTurn): {
  readonly earlier: readonly HiddenRound[];
  readonly last: HiddenRound;
} {
  const earlier = before.flatMap((part, index) =>
    index % 2 === 0 ? [{ message: part, results: JSON.parse(before[index + 1]!) as KeptResult[] }] : [],
  );
  return { earlier, last: { message, results: results.map((one) => JSON.parse(one) as KeptResult) } };
}
