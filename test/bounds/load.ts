import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { PostResponse } from './post.ts';

/** Starts a number of requests at once. */
export function times<Result>(count: number, act: (number: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => act(number)));
}

/**
 * Sends requests of a well-behaved client, one after another, until the load is over; all must succeed.
 * Returns their number. Their durations are appended to the file that the variable `BOUNDS_TIMES` names, one
 * line per load, for information only.
 */
export async function besides(ask: () => Promise<PostResponse>, load: Promise<unknown>): Promise<number> {
  let isOver = false;
  void load.finally(() => {
    isOver = true;
  });
  const durations: number[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    expect(await ask()).toMatchObject({ status: 200 });
    durations.push(performance.now() - startedAt);
  }
  await load;
  const { BOUNDS_TIMES: file } = process.env;
  if (file) appendFileSync(file, describeTimes(durations));
  return durations.length;
}

function describeTimes(durations: readonly number[]): string {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!);
  const times = { requests: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1) };
  return `${JSON.stringify({ load: expect.getState().currentTestName, ...times })}\n`;
}
