import type { ExchangeRecord } from '@winnow/core';
import { setOf } from '@winnow/wire';
import { type ListedTools, MOST_NAME_CHARS } from './listed-tools.ts';
import type { TimedFact } from './timeline.ts';

/** Maximum number of loaded tools that a record names. */
const MOST_LOADED = 100;

/** Returns the tools that an exchange was planned with. */
export function plannedList(facts: readonly TimedFact[]): ListedTools | undefined {
  for (const { fact } of facts) if (fact.kind === 'planned') return fact.list;
  return undefined;
}

/** Returns the use of a list in the requests of an exchange; no field without a list. */
export function toolListFields(facts: readonly TimedFact[]): Pick<ExchangeRecord, 'toolList'> {
  const list = plannedList(facts);
  if (list === undefined) return {};
  let deferred: readonly string[] = [];
  let requests = 0;
  let whole = 0;
  const loaded = new Map<string, number>();
  const show = (names: readonly string[]) => {
    const shown = deferredOf(names, deferred);
    requests++;
    if (shown.length === deferred.length) whole++;
    else for (const name of shown) loaded.set(name, (loaded.get(name) ?? 0) + 1);
  };
  for (const { fact } of facts) {
    if (fact.kind === 'planned') {
      deferred = fact.look?.plan.defer ?? [];
      show(fact.look?.plan.load ?? []);
    } else if (fact.kind === 'loaded') {
      show(fact.names ?? []);
    } else if (fact.kind === 'restored') {
      show(deferred);
    } else if ((fact.kind === 'left_alone' || fact.kind === 'observed') && requests > 0) {
      // It was planned, and then sent unchanged: the model saw all tools.
      whole = requests;
      loaded.clear();
    }
  }
  return {
    toolList: {
      id: list.id,
      requests,
      ...(whole > 0 && deferred.length > 0 && { whole }),
      ...(loaded.size > 0 && { loaded: [...loaded].slice(0, MOST_LOADED).map(namedCount) }),
    },
  };
}

/** Returns the deferred tools among `names`. */
function deferredOf(names: readonly string[], deferred: readonly string[]): readonly string[] {
  if (names.length === 0 || names === deferred) return names;
  const isDeferred = setOf(deferred);
  return names.filter((name) => isDeferred.has(name));
}

function namedCount([name, requests]: readonly [string, number]) {
  return { name: name.slice(0, MOST_NAME_CHARS), requests };
}
