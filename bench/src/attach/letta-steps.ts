import type { LettaCall } from '@winnow/testkit';

/** One call, to be made again. */
export interface LettaCallStep {
  readonly method: 'GET' | 'PATCH';
  readonly path: string;
}

/** Calls that are made at the same time. */
const AT_ONCE = 8;

/** Calls of one request in steps: those of one kind in a row were made side by side. */
export function toSteps(calls: readonly LettaCall[]): readonly (readonly LettaCallStep[])[] {
  const steps: LettaCallStep[][] = [];
  let last: LettaCall | undefined;
  for (const call of calls) {
    const { method, path, query, route } = call;
    if (last?.route !== route || steps.at(-1)!.length === AT_ONCE) steps.push([]);
    steps
      .at(-1)!
      .push({ method: method as LettaCallStep['method'], path: query === '' ? path : `${path}?${query}` });
    last = call;
  }
  return steps;
}
