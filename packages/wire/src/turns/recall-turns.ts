import type { HiddenTurn, TurnKeys } from '../format/view.ts';

/** The kind of key that found a hidden turn. */
export type FoundBy = 'own' | 'conversation';

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
