import type { LettaCall } from '@winnow/testkit';

/** One call, to be replayed. */
export interface LettaCallStep {
  readonly method: 'GET' | 'PATCH';
  readonly path: string;
}

/** Calls to make at the same time. */
const AT_ONCE = 8;

/** Groups the calls of one request into steps: adjacent calls of one kind were made in parallel. */
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
