import type { ExchangeRecord } from '@winnow/core';
import type { Plan, RequestView } from '@winnow/wire';

/** The tools that a response called. */
export interface CalledTools {
  /** Names, without duplicates. */
  readonly called: readonly string[];
  /** Names among them that the model could not see. */
  readonly unseen: readonly string[];
}

/** Maximum number of names to keep of one response: far more than models call. */
const MOST_NAMES = 64;

/** Returns the tools that a response to this request called, whose tools `plan` has edited. */
export function calledTools(
  { tools }: Pick<RequestView, 'tools'>,
  { defer, load }: Pick<Plan, 'defer' | 'load'>,
  calledNames: readonly string[],
): CalledTools {
  const called = [...new Set(calledNames)].slice(0, MOST_NAMES);
  const isHidden = new Set(defer);
  for (const name of load) isHidden.delete(name);
  const isDeclared = (wanted: string) => tools.some(({ name }) => name === wanted);
  return { called, unseen: called.filter((name) => isHidden.has(name) || !isDeclared(name)) };
}

/** Returns the fields of a record; none for no call. */
export function callFields({ called, unseen }: CalledTools): Pick<ExchangeRecord, 'called' | 'unseen'> {
  return {
    ...(called.length > 0 && { called: [...called] }),
    ...(unseen.length > 0 && { unseen: [...unseen] }),
  };
}
