import type { HiddenTurn } from '@winnow/wire';
import type { Session, SessionAddition } from './session-store.ts';

/** What of an addition a session does not hold yet, each name and each turn once. */
export function newAddition({ loaded, hiddenTurns }: SessionAddition, session: Session): SessionAddition {
  const isKnown = new Set(session.loaded);
  const turns: HiddenTurn[] = [];
  for (const turn of hiddenTurns) {
    if (![...session.hiddenTurns, ...turns].some((known) => isEqualTurn(known, turn))) turns.push(turn);
  }
  return { loaded: [...new Set(loaded)].filter((name) => !isKnown.has(name)), hiddenTurns: turns };
}

/** The message, which nearly always tells two turns apart, comes first. */
function isEqualTurn(one: HiddenTurn, other: HiddenTurn): boolean {
  return (
    one.message === other.message &&
    one.visible === other.visible &&
    one.format === other.format &&
    isEqualList(one.keys, other.keys) &&
    isEqualList(one.before, other.before) &&
    isEqualList(one.results, other.results)
  );
}

function isEqualList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
