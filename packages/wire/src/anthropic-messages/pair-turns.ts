import type { HiddenTurn } from '../view.ts';

/**
 * For each visible turn, given by its keys, the hidden turns that may belong to it. No hidden turn is given twice for one key, as the ids
 * of its calls may stand only once in a history.
 *
 * Turns that say the same have the same key and pair up in order. Where there are more hidden ones, the earliest are left out: the
 * client asked again and forgot those answers. Where there are fewer, the last visible ones had nothing to hide, as what was found stays.
 */
export function pairTurns(
  visibleKeys: readonly (readonly string[])[],
  hiddenTurns: readonly HiddenTurn[],
): HiddenTurn[][] {
  const byKey = Map.groupBy(
    hiddenTurns.flatMap((turn) => turn.keys.map((key) => ({ key, turn }))),
    ({ key }) => key,
  );
  const visibleByKey = Map.groupBy(visibleKeys.flat(), (key) => key);
  const placesSeen = new Map<string, number>();
  const nextOf = (key: string): HiddenTurn | undefined => {
    const equal = byKey.get(key) ?? [];
    const forgotten = Math.max(0, equal.length - visibleByKey.get(key)!.length);
    const place = placesSeen.get(key) ?? 0;
    placesSeen.set(key, place + 1);
    return equal[forgotten + place]?.turn;
  };
  return visibleKeys.map((keys) => keys.flatMap((key) => nextOf(key) ?? []));
}
