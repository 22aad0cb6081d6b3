import type { ResponseRewriter } from '../format/polyfilled.ts';
import type { ResponseJoiner } from '../format/response-joiner.ts';
import type { WireEvent } from '../framing/wire-event.ts';

/** A joiner that gives out what another one does, written anew. It hides nothing that would have to be held back, so that everything shows at once. */
export function rewriteJoined(joiner: ResponseJoiner, rewriter: ResponseRewriter): ResponseJoiner {
  const rewritten = (events: readonly WireEvent[]) =>
    events.flatMap((event) => rewriter.rewrite(event) ?? []);
  return {
    get hasStarted() {
      return joiner.hasStarted;
    },
    hasShown: true,
    get usage() {
      return joiner.usage;
    },
    get notices() {
      return joiner.notices;
    },
    get isRoundOver() {
      return joiner.isRoundOver;
    },
    feed: (event) => rewritten(joiner.feed(event)),
    endRound: () => joiner.endRound(),
    abandonRound: () => joiner.abandonRound(),
    finish: () => rewritten(joiner.finish()),
    fail: (failure) => rewritten(joiner.fail(failure)),
  };
}
