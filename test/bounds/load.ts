import { expect } from 'vitest';
import type { PostResponse } from './post.ts';

/** Starts so many requests at once. */
export function times<Result>(count: number, act: (number: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => act(number)));
}

/** Sends requests of a neighbour, one after the other, until the load is over; all must be answered well. Gives their number. */
export async function besides(ask: () => Promise<PostResponse>, load: Promise<unknown>): Promise<number> {
  let isOver = false;
  void load.finally(() => {
    isOver = true;
  });
  let count = 0;
  while (!isOver) {
    expect(await ask()).toMatchObject({ status: 200 });
    count++;
  }
  await load;
  return count;
}
