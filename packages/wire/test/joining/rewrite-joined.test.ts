import { expect, test } from 'vitest';
import type { ResponseJoiner } from '../../src/format/response-joiner.ts';
import type { WireEvent } from '../../src/framing/framing.ts';
import { RewritingJoiner } from '../../src/joining/rewrite-joined.ts';

test('an abandoned round discards what its rewriter has seen', () => {
  const joiner = {
    feed: (event: WireEvent) => [event],
    abandonRound: () => {},
  } as unknown as ResponseJoiner;
  const numbering = () => {
    const seen: WireEvent[] = [];
    return { rewrite: (event: WireEvent) => ({ kind: 'event', data: `${seen.push(event)}` }) as const };
  };
  const rewritten = new RewritingJoiner(joiner, numbering);
  const play = () => ['a', 'b'].flatMap((data) => rewritten.feed({ kind: 'event', data }));
  const first = play();
  expect(first).toEqual([
    { kind: 'event', data: '1' },
    { kind: 'event', data: '2' },
  ]);
  rewritten.abandonRound();
  expect(play()).toEqual(first);
});
